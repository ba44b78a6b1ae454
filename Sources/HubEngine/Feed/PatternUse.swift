// Which patterns have come into use, and which are no longer used, since a claim's watchers were last counted.

import HubCore

extension PatternTable {
  /// Some client watches it, or is about to.
  func isUsed(_ index: Int32) -> Bool {
    records[Int(index)].references > (index == PatternTable.everything ? 1 : 0)
  }

  /// The first use of the pattern has begun, or its last one has ended.
  mutating func noteUse(_ index: Int32) {
    guard followsUse, !records[Int(index)].hasNewUse else { return }
    records[Int(index)].hasNewUse = true
    newUses.append(index)
  }

  /// Takes the next pattern that is used or unused since; nil: there is none.
  mutating func takeNewUse() -> Int32? {
    guard let index = newUses.last else { return nil }
    newUses.removeLast()
    records[Int(index)].hasNewUse = false
    return index
  }

  /// No claim counts watchers any more.
  mutating func ignoreUse() {
    while takeNewUse() != nil {}
    followsUse = false
  }
}
