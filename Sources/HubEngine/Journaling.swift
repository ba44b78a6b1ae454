// What the journal's owner asks of the engine and reports to it: the outbox, what became of it, whether writing works.

package import HubCore

extension HubEngine {
  /// What the journal's next record must hold; may be empty.
  package var outboxBytes: ByteView { ledger.outbox.bytes.view }

  /// The outbox must be written.
  @inline(__always)
  package var hasOutbox: Bool { mutating get { !ledger.outbox.bytes.isEmpty } }

  /// The engine holds changes that the journal missed because it failed. It needs a complete snapshot.
  package var owesSnapshot: Bool { ledger.outbox.owesSnapshot }

  /// Persistent stores can be written to.
  package var isJournalOpen: Bool { ledger.outbox.phase == .open }

  /// The journal says that not all values are in it.
  package var hasToldUnwritten: Bool { ledger.outbox.hasToldUnwritten }

  /// Bookmarks below this cannot be resumed.
  package var bookmarkFloor: Revision { history.removals.floorRevision }

  /// The outbox was written: its changes are final.
  package mutating func journalWritten() {
    ledger.outbox.clear()
    guard ledger.awaitsJournal else { return }
    ledger.undo.endTurn(&stores)
  }

  /// The outbox could not be written: everything that the turn did since its first write to a persistent store is undone,
  /// volatile stores included, and the requests must be carried out again. The revisions it used are not reused.
  ///
  /// - Parameter problem: the reason, as writers are told.
  package mutating func journalFailed(_ problem: String) {
    ledger.outbox.close(problem)
    if let mark = ledger.undo.turn {
      rollBack(to: mark)
      ledger.undo.endTurn(&stores)
    }
    // The decisions are made again.
    if attention.hasClaims { claims.forgetOutcomes() }
    // What is left is not undone.
    if !ledger.outbox.bytes.isEmpty { ledger.outbox.owesSnapshot = true }
    ledger.outbox.clear()
  }

  /// Refuses writes to persistent stores, for this reason, until `openJournal`.
  ///
  /// - Parameter needsSnapshot: earlier records cannot be relied on.
  package mutating func closeJournal(_ problem: String, needsSnapshot: Bool) {
    precondition(!ledger.awaitsJournal)
    ledger.outbox.close(problem)
    if needsSnapshot { ledger.outbox.owesSnapshot = true }
  }

  /// Persistent stores can be written to (again).
  package mutating func openJournal() { ledger.outbox.open() }

  /// The journal continues in a new file, with a complete snapshot. Writes are refused until `openJournal`.
  package mutating func renewJournal() {
    precondition(!ledger.awaitsJournal)
    ledger.outbox.renew()
    for slot in 0..<stores.used where stores[slot].id.raw != 0 {
      stores[slot].isStored = stores[slot].durability != .volatile
    }
  }

  // MARK: Numbers

  /// The numbers that the journal's next segment must name as used.
  package var reserved: (revision: Revision, serial: UInt64) { ledger.outbox.reserved }

  package var lastSerial: UInt64 { stores.lastSerial }

  /// Keeps a supply of numbers that the journal knows to be used.
  @inline(__always)
  package mutating func reserveAhead() { ledger.reserveAhead(history.revision, stores.lastSerial) }

  /// Renews the reservation without a frame: the next segment's head carries it.
  package mutating func renewReservation() { ledger.renewReservation(history.revision, stores.lastSerial) }

  /// No reservation is needed: this life has its own epoch, and nothing of it is written yet.
  package mutating func reserveFreely() { ledger.outbox.reserved = (.max, .max) }
}
