// How far ahead numbers are reserved, and when that is written again.

import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Reserved numbers")
struct ReservationTests {
  private func writes(_ ledger: inout Ledger, _ revision: Revision, _ serial: UInt64) -> Bool {
    let before = ledger.outbox.bytes.count
    ledger.reserveAhead(revision, serial)
    return ledger.outbox.bytes.count > before
  }

  @Test("a reservation is renewed when half of either kind is used, and not before")
  func halves() {
    var ledger = Ledger(journals: true)
    #expect(writes(&ledger, 0, 0) == true)
    #expect(ledger.outbox.reserved == (1 << 24, 1 << 20))
    #expect(writes(&ledger, 1 << 23, 0) == false)
    #expect(writes(&ledger, 0, 1 << 19) == false)
    #expect(writes(&ledger, 1 << 23 + 1, 0) == true)
    #expect(ledger.outbox.reserved == (1 << 24 + 1 << 23 + 1, 1 << 20))
    #expect(writes(&ledger, 1 << 23 + 1, 1 << 19 + 1) == true)
    #expect(ledger.outbox.reserved.serial == 1 << 20 + 1 << 19 + 1)
  }

  @Test("without a journal, or while it takes nothing, nothing is reserved")
  func silent() {
    var none = Ledger(journals: false)
    #expect(writes(&none, 5, 5) == false)
    #expect(none.hasNumbers(5, 5) == true)
    var closed = Ledger(journals: true)
    closed.outbox.close("full")
    #expect(writes(&closed, 5, 5) == false)
    #expect(closed.hasNumbers(5, 5) == false)
  }

  @Test("while the journal takes nothing, the last numbers are kept for what happens by itself")
  func kept() {
    var ledger = Ledger(journals: true)
    ledger.outbox.reserved = (1 << 24, 1 << 20)
    let (revisions, serials) = (UInt64(1 << 24 - 1 << 20), UInt64(1 << 20 - 1 << 10))
    #expect(ledger.hasNumbers(revisions - 1, serials - 1) == true)
    #expect(ledger.hasNumbers(revisions, serials - 1) == false)
    #expect(ledger.hasNumbers(revisions - 1, serials) == false)
  }
}
