// The hub's clean stop: values that are not kept are removed by journalled changes, so every bookmark stays valid after the next start.

package import HubCore

extension HubEngine {
  /// Removes the volatile stores, and records in the journal which removals are remembered, including those of volatile
  /// stores. The outbox must be written afterwards; the engine can no longer serve sessions.
  ///
  /// - Returns: whether the journal then holds everything that clients have seen. It does not if it takes nothing at
  ///   the moment, or if more stores would be removed than removals are remembered: then bookmarks of this life are
  ///   refused, as after a kill.
  package mutating func settle(now: Instant) -> Bool {
    guard options.journals, ledger.outbox.phase == .open, !ledger.outbox.owesSnapshot else { return false }
    // No client has seen a volatile value.
    if !ledger.outbox.hasToldUnwritten { return true }
    let volatile = (0..<stores.used).filter { stores[$0].id.raw != 0 && !stores[$0].isStored }
    if volatile.count > options.rememberedRemovals { return false }
    begin()
    for slot in volatile { _ = removeStore(slot, by: nil, now: now) }
    commit()
    ledger.outbox.append(.removals(floor: history.removals.floorRevision))
    history.removals.forEach { entry in
      ledger.outbox.write {
        HubEvent.removed(name: entry.name.text, entry.removal, grouped: false, more: false).encode(into: &$0)
      }
    }
    return true
  }
}
