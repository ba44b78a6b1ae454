// Owns the reservation of numbers: only numbers recorded in the journal may be used.

import HubCore

extension Ledger {
  /// How many numbers are reserved at once, and the most that an unclean end skips. There are 2^40 serial numbers.
  private static let revisionsAhead: UInt64 = 1 << 24
  private static let serialsAhead: UInt64 = 1 << 20
  /// While the journal accepts nothing, the last of the reserved revisions are kept for the hub's own changes.
  private static let keptRevisions: UInt64 = 1 << 20
  private static let keptSerials: UInt64 = 1 << 10

  /// Keeps a supply of numbers that the journal knows to be used.
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

  /// Renews the reservation without a frame: the next segment's head carries it.
  mutating func renewReservation(_ revision: Revision, _ serial: UInt64) {
    outbox.reserved = (revision + Ledger.revisionsAhead, serial + Ledger.serialsAhead)
  }

  /// Whether a volatile store can be written to while the journal takes nothing. A hub that recovers from the journal would
  /// reuse numbers that it does not know.
  func hasNumbers(_ revision: Revision, _ serial: UInt64) -> Bool {
    !journals
      || (revision + Ledger.keptRevisions < outbox.reserved.revision
        && serial + Ledger.keptSerials < outbox.reserved.serial)
  }
}
