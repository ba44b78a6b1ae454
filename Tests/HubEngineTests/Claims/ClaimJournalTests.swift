// Provided stores that are kept on the disk: nobody is told of a decision before the journal has it, nor if it never gets it.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Provided stores and the journal") struct ClaimJournalTests {
  private func hub() throws -> ClaimFixture { try ClaimFixture { $0.journals = true } }

  /// A write to a store that is synced, which the provider is asked about.
  private func ask(_ claim: inout ClaimFixture) throws -> (ticket: UInt64, request: UInt32) {
    let schema = Schema(type: .integer, durability: .synced)
    _ = claim.hub.ask(claim.provider, .write(.create(try StoreName("dev.n"), schema)))
    claim.hub.engine.journalWritten()
    let request = try claim.set("dev.n", .integer(7))
    let ticket = try #require(claim.forwards().first).ticket
    return (ticket, request)
  }

  private func frame(_ ticket: UInt64) -> [UInt8] {
    var frame = OutputBuffer()
    Request.decide(ticket, .accept()).encode(into: &frame, id: 77)
    return frame.array
  }

  @Test("the setter's answer waits for the journal and the disk, the provider's only for the journal")
  func written() throws {
    var claim = try hub()
    let (ticket, request) = try ask(&claim)
    let (reply, receipt) = claim.hub.ask(claim.provider, frame(ticket))
    #expect(reply.errorCode == nil && receipt == .awaitsJournal)
    let hasOutbox = claim.hub.engine.hasOutbox
    #expect(hasOutbox)
    claim.hub.engine.journalWritten()
    claim.hub.engine.deal(now: claim.hub.now)
    guard let message = claim.hub.engine.nextMessage() else { throw TestFailure("no answer") }
    let (isSynced, session, answered) = (
      message.isSynced, message.session, FrameView(bytes: message.bytes).request
    )
    #expect(isSynced && session == claim.writer && answered == request)
  }

  @Test("a decision that the journal does not get is in force, and its setter gets that it may be lost")
  func failed() throws {
    var claim = try hub()
    let (ticket, request) = try ask(&claim)
    let decision = frame(ticket)
    _ = claim.hub.ask(claim.provider, decision)
    claim.hub.engine.journalFailed("the disk is broken")
    guard case .error(let error)? = claim.deal().reply(to: request) else { throw TestFailure("no answer") }
    #expect(error.code == .durabilityUnknown)
    #expect(try claim.value("dev.n") == .integer(7))
  }

  @Test("a decision without room in the journal is put off, and then made")
  func room() throws {
    var claim = try hub()
    let (ticket, request) = try ask(&claim)
    claim.hub.engine.setRoom(0)
    #expect(claim.hub.ask(claim.provider, frame(ticket)).receipt == .askAgain)
    #expect(try claim.value("dev.n") == .integer(0))
    let wanted = claim.hub.engine.wantedRoom
    claim.hub.engine.setRoom(wanted)
    #expect(claim.hub.ask(claim.provider, frame(ticket)).reply.errorCode == nil)
    claim.hub.engine.journalWritten()
    #expect(claim.deal().reply(to: request) != nil)
    #expect(try claim.value("dev.n") == .integer(7))
  }

  @Test("what waits is not forwarded twice if the turn in which it came could not be written")
  func held() throws {
    var claim = try hub()
    _ = try ask(&claim)
    let second = try claim.set("dev.n", .integer(8))
    #expect(claim.deal().reply(to: second) == nil)
    claim.hub.engine.journalFailed("the disk is full")
    claim.pass(milliseconds: 1000)
    #expect(claim.deal().filter { $0.reply(to: second) != nil }.count == 1)
  }
}
