// Which values expire, and when: at their deadline, or with the session that owns them. The stores' records have the details; this finds
// the stores.

import HubCore

/// Invariant: a store is in `deadlines` if it has a deadline, and in its owner's heap if it has an owner.
struct Lifetimes {
  private(set) var deadlines = EndingHeap(.deadline)
  /// What each session owns.
  private var owned: [Int32: EndingHeap] = [:]
  /// The lifetimes in a journal, during recovery; empty otherwise.
  var kept: [StoreID: KeptLifetime] = [:]

  /// The store's record has the lifetime of its value.
  mutating func enter(_ slot: Int, _ table: inout StoreTable) {
    let (deadline, owner, id) = (table[slot].deadline, table[slot].owner, table[slot].id)
    if deadline != 0 { deadlines.add(EndingHeap.Entry(time: deadline, id: id), &table) }
    if owner >= 0 {
      owned[owner, default: EndingHeap(.owner)].add(EndingHeap.Entry(time: 0, id: id), &table)
    }
  }

  /// Its lifetime will change.
  mutating func leave(_ slot: Int, _ table: inout StoreTable) {
    deadlines.remove(slot, &table)
    let owner = table[slot].owner
    guard table[slot].ownerPlace >= 0 else { return }
    owned[owner]?.remove(slot, &table)
    if owned[owner]?.isEmpty ?? false { owned[owner] = nil }
  }

  /// The store with the lowest number whose value ends with the session.
  func first(ownedBy session: SessionID) -> StoreID? { owned[session.raw]?.first?.id }

  /// The stores whose values end with the session, in an order in which they can be entered again.
  func owned(by session: SessionID) -> [StoreID] { owned[session.raw]?.all ?? [] }
}
