// The interface to the journal's owner: the outbox, its outcome, and whether writing works.

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

  /// The outbox was written.
  @inline(__always)
  package mutating func journalWritten() { ledger.outbox.clear() }

  /// The outbox could not be written. Its changes have taken effect, and may be lost: replies that confirm their
  /// storage must report an unknown outcome instead. Writes to persistent stores are refused until a complete snapshot
  /// is on the disk.
  ///
  /// - Parameter problem: the reason, for later writers.
  package mutating func journalFailed(_ problem: String) {
    closeJournal(problem, needsSnapshot: true)
    if attention.hasClaims { claims.disavowOutcomes() }
  }

  // MARK: Room

  /// What the journal has reserved for its next record. Frames' headers, names and numbers are counted to it by a constant.
  @inline(__always)
  package mutating func setRoom(_ bytes: Int) {
    ledger.outbox.room = bytes - HubEngine.roomForNames
    ledger.outbox.wanted = 0
  }

  /// What the next record must have room for, so that a deferred request can be executed; 0: there is none.
  @inline(__always)
  package var wantedRoom: Int {
    mutating get { ledger.outbox.wanted == 0 ? 0 : ledger.outbox.wanted + HubEngine.roomForNames }
  }

  /// More than a frame holds besides its value and schema, and a reservation and a lifetime beside it.
  private static let roomForNames = 1024

  /// The write was deferred: executed again, once there is room, it succeeds or is refused.
  func lacksRoom(_ error: HubError) -> Bool { error.code == .storageFailed && ledger.takesWrites }

  /// Refuses writes to persistent stores, for this reason, until `openJournal`.
  ///
  /// - Parameter needsSnapshot: earlier records cannot be relied on.
  package mutating func closeJournal(_ problem: String, needsSnapshot: Bool) {
    ledger.outbox.close(problem)
    if needsSnapshot || ledger.awaitsJournal { ledger.outbox.owesSnapshot = true }
    ledger.outbox.clear()
  }

  /// Persistent stores can be written to (again).
  package mutating func openJournal() { ledger.outbox.open() }

  /// The journal continues in a new file, with a complete snapshot. Writes are refused until `openJournal`.
  package mutating func renewJournal() {
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

  /// The first frame of a new segment.
  package mutating func head(
    previous: JournalPosition, boot: BootID, origin: FileOrigin, beginsLife: Bool
  ) -> JournalFrame.Head {
    renewReservation()
    return JournalFrame.Head(
      previous: previous, epoch: epoch, boot: boot, origin: origin, revisionLimit: reserved.revision,
      serialLimit: reserved.serial, floor: history.removals.floorRevision, beginsLife: beginsLife,
      unwritten: ledger.outbox.hasToldUnwritten)
  }

  /// No reservation is needed: this life has its own epoch, and nothing of it is written yet.
  package mutating func reserveFreely() { ledger.outbox.reserved = (.max, .max) }
}

extension HubError {
  /// The error for a writer whose value may not be stored: the disk has failed since it was set.
  package static let unstored = HubError(
    .durabilityUnknown,
    "the value is set, but the disk failed to confirm it: it may be lost if the hub or the machine stops")
}
