// Which user is charged for a pattern and its members.

import HubCore

extension PatternTable {
  /// What the pattern and its members cost. The pattern `**`, which most clients use, is in the stores' own cost.
  func charge(_ index: Int32) -> Charge {
    let bytes =
      index == PatternTable.everything
      ? 0
      : MemoryCost.pattern(records[Int(index)].pattern)
        + MemoryCost.membership * records[Int(index)].order.members
    return Charge(kind: .watches, bytes: bytes, uid: records[Int(index)].payer)
  }

  /// A pattern has its first user.
  mutating func begin(_ index: Int32, paidBy uid: UInt32, _ stores: inout Stores) {
    records[Int(index)].payer = uid
    stores.accounts.add(charge(index))
  }

  /// Another user pays for the pattern from now on.
  mutating func setPayer(_ uid: UInt32, of index: Int32, _ stores: inout Stores) {
    if records[Int(index)].payer == uid { return }
    let before = charge(index)
    records[Int(index)].payer = uid
    stores.accounts.replace(before, by: charge(index))
  }
}
