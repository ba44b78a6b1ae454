// Which user is charged for a pattern and its members.

import HubCore

extension PatternTable {
  /// The pattern `**`, which most clients use, is in the stores' own cost.
  func memory(of index: Int32) -> Int {
    index == PatternTable.everything
      ? 0
      : MemoryCost.pattern(records[Int(index)].pattern)
        + MemoryCost.membership * records[Int(index)].order.members
  }

  /// A pattern has its first user.
  mutating func begin(_ index: Int32, paidBy uid: UInt32, _ stores: inout Stores) {
    records[Int(index)].payer = uid
    let memory = memory(of: index)
    if memory > 0 { stores.accounts.charge(watchBytes: memory, to: uid) }
  }

  /// Another user pays for the pattern from now on.
  mutating func charge(_ index: Int32, to uid: UInt32, _ stores: inout Stores) {
    let (payer, memory) = (records[Int(index)].payer, memory(of: index))
    if payer == uid || memory == 0 { return }
    stores.accounts.charge(watchBytes: -memory, to: payer)
    stores.accounts.charge(watchBytes: memory, to: uid)
    records[Int(index)].payer = uid
  }
}
