// Owns how far ahead numbers are reserved: what the journal does not know to be used must not be given out.

extension Ledger {
  /// Numbers that are reserved at once. After an unclean end as many are passed over at most. There are 2^40 serial numbers.
  private static let revisionsAhead: UInt64 = 1 << 24
  private static let serialsAhead: UInt64 = 1 << 20
  /// While the journal takes nothing, the last of them are left to what happens by itself.
  private static let keptRevisions: UInt64 = 1 << 20
  private static let keptSerials: UInt64 = 1 << 10

  /// Sees to it that there are always numbers left that the journal knows to be used.
  @inline(__always)
  mutating func reserveAhead(_ revision: Revision, _ serial: UInt64) {
    if journals, outbox.phase == .open,
      outbox.reserved.revision < revision + Ledger.revisionsAhead / 2
        || outbox.reserved.serial < serial + Ledger.serialsAhead / 2
    {
      renewReservation(revision, serial)
      outbox.append(.reserved(revision: outbox.reserved.revision, serial: outbox.reserved.serial))
    }
  }

  /// Reserves anew without telling: the next segment's head does.
  mutating func renewReservation(_ revision: Revision, _ serial: UInt64) {
    outbox.reserved = (revision + Ledger.revisionsAhead, serial + Ledger.serialsAhead)
  }

  /// Whether a volatile store can be written to while the journal takes nothing. A hub that starts from the journal would give
  /// out again what it was not told.
  func hasNumbers(_ revision: Revision, _ serial: UInt64) -> Bool {
    !journals
      || (revision + Ledger.keptRevisions < outbox.reserved.revision
        && serial + Ledger.keptSerials < outbox.reserved.serial)
  }
}
