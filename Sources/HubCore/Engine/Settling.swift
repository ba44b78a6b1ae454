// The hub's good end: what is not kept goes as changes that the journal gets, so that every bookmark goes on in the next life.

extension HubEngine {
  /// Removes the volatile stores, and tells the journal which removals are remembered, those of volatile stores too. The
  /// outbox has to be written afterwards; the engine is of no more use to sessions.
  ///
  /// - Returns: whether the journal then holds everything that anybody was shown. Not if it takes nothing now, or if more stores
  ///   would go than removals are remembered: then bookmarks of this life are refused, as after a kill.
  public mutating func settle(now: Instant) -> Bool {
    guard options.journals, ledger.outbox.phase == .open, !ledger.outbox.owesSnapshot else { return false }
    // Nothing volatile was ever shown.
    if !ledger.outbox.hasToldUnwritten { return true }
    let volatile = (0..<stores.used).filter { stores[$0].id.raw != 0 && stores[$0].stored == .no }
    if volatile.count > options.rememberedRemovals { return false }
    begin(by: nil)
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
