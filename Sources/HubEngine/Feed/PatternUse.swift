// Which patterns have come into use, are no longer used, or are used with a different shortest interval, since a claim's watchers were
// last counted.

import HubCore

extension PatternTable {
  /// Some client watches it, or is about to.
  func isUsed(_ index: Int32) -> Bool { records[Int(index)].uses.count > 0 }

  /// A watch with that interval begins to use the pattern.
  mutating func beginUse(of index: Int32, _ interval: UInt32) {
    let (isFirst, least) = (!isUsed(index), records[Int(index)].uses.least)
    records[Int(index)].uses.add(interval)
    if isFirst || records[Int(index)].uses.least != least { noteUse(index) }
  }

  mutating func endUse(of index: Int32, _ interval: UInt32) {
    let least = records[Int(index)].uses.least
    records[Int(index)].uses.remove(interval)
    if !isUsed(index) || records[Int(index)].uses.least != least { noteUse(index) }
    // No claim uses it any more, so none is notified.
    if !isUsed(index), !followsUse { (records[Int(index)].claims, records[Int(index)].counted) = ([], nil) }
  }

  private mutating func noteUse(_ index: Int32) {
    guard followsUse, !records[Int(index)].hasNewUse else { return }
    records[Int(index)].hasNewUse = true
    newUses.append(index)
  }

  /// Takes the next of these patterns; nil: there is none.
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
