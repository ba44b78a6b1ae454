// What the owner of the journal asks of the engine, and tells it: the outbox, what became of it, whether writing works.

extension HubEngine {
  /// What the journal's next record has to hold; may be empty.
  public var outboxBytes: ByteView { ledger.outbox.bytes.view }

  /// The outbox has to be written.
  @inline(__always)
  public var hasOutbox: Bool { mutating get { !ledger.outbox.bytes.isEmpty } }

  /// Changes stand that the journal was not told, because it failed. It needs a complete snapshot.
  public var owesSnapshot: Bool { ledger.outbox.owesSnapshot }

  /// Persistent stores can be written to.
  public var isJournalOpen: Bool { ledger.outbox.phase == .open }

  /// The journal knows that not all values are in it.
  public var hasToldUnwritten: Bool { ledger.outbox.hasToldUnwritten }

  /// Bookmarks below this cannot be resumed.
  public var bookmarkFloor: Revision { history.removals.floorRevision }

  /// The outbox was written: what it holds stands.
  public mutating func journalWritten() {
    ledger.outbox.clear()
    guard ledger.awaitsJournal else { return }
    finishRemovals()
    ledger.undo.endTurn()
  }

  /// The outbox could not be written: what the turn did since its first write to a persistent store is taken back, volatile
  /// stores included, and the requests have to be carried out again. Revisions that it took are not used again.
  ///
  /// - Parameter problem: why, for whoever wants to write; nil: writing works again.
  public mutating func journalFailed(_ problem: String) {
    ledger.outbox.close(problem)
    if let mark = ledger.undo.turn {
      rollBack(to: mark)
      ledger.undo.endTurn()
    }
    // What is left nobody takes back.
    if !ledger.outbox.bytes.isEmpty { ledger.outbox.owesSnapshot = true }
    ledger.outbox.clear()
  }

  /// Writes to persistent stores are refused, for this reason, until `openJournal`.
  ///
  /// - Parameter needsSnapshot: what was written before cannot be counted on.
  public mutating func closeJournal(_ problem: String, needsSnapshot: Bool) {
    precondition(!ledger.awaitsJournal)
    ledger.outbox.close(problem)
    if needsSnapshot { ledger.outbox.owesSnapshot = true }
  }

  /// Persistent stores can be written to (again).
  public mutating func openJournal() { ledger.outbox.open() }

  /// The journal goes on in a new file, with a complete snapshot. Writes are refused until `openJournal`.
  public mutating func renewJournal() {
    precondition(!ledger.awaitsJournal)
    ledger.outbox.renew()
    for slot in 0..<stores.used where stores[slot].id.raw != 0 {
      let isDurable = stores[slot].durability != .volatile
      stores[slot].stored = isDurable ? .value : .no
    }
  }

  // MARK: Numbers

  /// What the journal's next segment has to name as used.
  public var reserved: (revision: Revision, serial: UInt64) { ledger.outbox.reserved }

  public var lastSerial: UInt64 { stores.lastSerial }

  /// Sees to it that there are always numbers left that the journal knows to be used.
  @inline(__always)
  public mutating func reserveAhead() { ledger.reserveAhead(history.revision, stores.lastSerial) }

  /// Reserves anew without telling: the next segment's head does.
  public mutating func renewReservation() { ledger.renewReservation(history.revision, stores.lastSerial) }

  /// No number has to be reserved: this life has an epoch of its own, of which nothing is written yet.
  public mutating func reserveFreely() { ledger.outbox.reserved = (.max, .max) }
}
