// What the engine owes a journal that could not be written.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("A journal that fails")
struct JournalFailureTests {
  private func hub() -> EngineFixture {
    var hub = EngineFixture { $0.journals = true }
    hub.engine.renewReservation()
    return hub
  }

  @Test(
    "what a session wrote stays in force, a snapshot is owed, and further writes are refused until there is one"
  )
  func inForce() {
    var hub = hub()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1)))
    hub.engine.journalWritten()
    _ = hub.turn()
    _ = hub.write(session, .set("a", .integer(2)))
    hub.engine.journalFailed("broken")
    #expect(hub.engine.owesSnapshot == true && hub.engine.hasOutbox == false)
    #expect(hub.write(session, .set("a", .integer(3))).errorCode == .storageFailed)
    #expect(hub.write(session, .add("a", .integer(3))).errorCode == .storageFailed)
    #expect(hub.write(session, .remove("a")).errorCode == .storageFailed)
    #expect(hub.write(session, .set("b", .integer(1))).errorCode == .storageFailed)
    #expect(hub.ask(session, .get("a")).state?.value == .integer(2))
    hub.engine.renewJournal()
    hub.engine.openJournal()
    #expect(hub.write(session, .set("a", .integer(3))).result?.changed == true)
  }

  /// Requests, and the most that they need of the journal's record besides a constant.
  private static let needs: [(Request, Int)] = [
    (.write(.set("a", .string(String(repeating: "x", count: 5000)))), 5000),
    (.write(.set("new", .string(String(repeating: "x", count: 5000)))), 5100),
    (.write(.reset("long")), 5000), (.write(.remove("a")), 0),
    (.transaction([.set("a", .string("y")), .reset("long")]), 5200),
    (
      .write(
        .create(
          try! StoreName("c"), Schema(type: .string, initial: .string(String(repeating: "x", count: 5000))))),
      10_100
    ),
  ]

  @Test(
    "a write without room in the journal is put off and changes nothing; with room it fits", arguments: 0..<6)
  func room(index: Int) {
    var hub = hub()
    let session = hub.connect()
    let long = Schema(type: .string, initial: .string(String(repeating: "l", count: 5000)))
    _ = hub.write(session, .create(try! StoreName("long"), long))
    _ = hub.write(session, .set("long", .string("")))
    _ = hub.write(session, .set("a", .string("a")))
    hub.engine.journalWritten()
    _ = hub.turn()
    let revision = hub.engine.revision
    let (request, most) = JournalFailureTests.needs[index]
    var frame = OutputBuffer()
    request.encode(into: &frame, id: 5)
    func receive(_ hub: inout EngineFixture) -> (Receipt, Int) {
      var out = OutputBuffer()
      let receipt = hub.engine.receive(
        FrameView(bytes: frame.view), from: session, in: hub.engine.openTurn(), now: hub.now, into: &out)
      return (receipt, out.count)
    }
    hub.engine.setRoom(0)
    var (receipt, length) = receive(&hub)
    #expect(receipt == .askAgain && length == 0)
    #expect(hub.engine.revision == revision && hub.engine.hasOutbox == false)
    var rounds = 0
    while receipt == .askAgain, rounds < 3 {
      let wanted = hub.engine.wantedRoom
      #expect(wanted > 0 && wanted <= most + 3000)
      hub.engine.setRoom(wanted)
      (receipt, length) = receive(&hub)
      rounds += 1
      if receipt != .askAgain { #expect(hub.engine.outboxBytes.count <= wanted) }
    }
    #expect(receipt == .awaitsJournal && length > 0)
    #expect(hub.engine.wantedRoom == 0)
  }

  @Test(
    "a new store whose value ends with its connection needs no journal: it is made in memory, and ends there")
  func ephemeral() {
    var hub = hub()
    let (session, other) = (hub.connect(), hub.connect(4))
    hub.engine.closeJournal("full", needsSnapshot: false)
    let lock = WriteOperation.set(
      "lock", .string("me"), condition: WriteCondition(absent: true), lifetime: Lifetime(ephemeral: true))
    let result = hub.write(session, lock).result
    #expect(result?.changed == true && result?.durability == .volatile)
    #expect(hub.write(other, lock).errorCode == .conflict)
    #expect(hub.write(session, .remove("lock")).errorCode == nil)
    #expect(hub.write(other, lock).errorCode == nil)
    _ = hub.turn()
    hub.close(other)
    #expect(hub.ask(session, .get("lock")).errorCode == .noSuchStore)
    // With a time to live it may be expected to survive the hub.
    #expect(
      hub.write(session, .set("a", .integer(1), lifetime: Lifetime(ttl: 10))).errorCode == .storageFailed)
    hub.engine.openJournal()
    #expect(hub.write(session, lock).result?.durability != .volatile)
  }

  @Test("what ended by itself stays ended, and a snapshot is owed")
  func ended() {
    var hub = hub()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1), lifetime: Lifetime(ttl: 10)))
    hub.engine.journalWritten()
    _ = hub.turn()
    hub.now.boot += 20_000_000
    hub.expire()
    #expect(hub.engine.hasOutbox == true)
    hub.engine.journalFailed("full")
    #expect(hub.engine.owesSnapshot == true)
    #expect(hub.engine.hasOutbox == false)
    #expect(hub.ask(session, .get("a")).errorCode == .noSuchStore)
  }

  @Test("what ends by itself while the journal takes nothing is owed, too")
  func later() {
    var hub = hub()
    let session = hub.connect()
    _ = hub.write(session, .set("a", .integer(1), lifetime: Lifetime(ttl: 10)))
    hub.engine.journalWritten()
    _ = hub.turn()
    hub.engine.closeJournal("full", needsSnapshot: false)
    #expect(hub.engine.owesSnapshot == false)
    hub.now.boot += 20_000_000
    hub.expire()
    #expect(hub.engine.owesSnapshot == true)
    #expect(hub.engine.hasOutbox == false)
  }

  @Test("earlier records that cannot be relied on are owed")
  func unreliable() {
    var hub = hub()
    hub.engine.closeJournal("broken", needsSnapshot: true)
    #expect(hub.engine.owesSnapshot == true)
    #expect(hub.engine.isJournalOpen == false)
  }

  @Test("meanwhile volatile stores change as long as the reserved numbers last, and no longer")
  func volatile() {
    var hub = hub()
    let session = hub.connect()
    _ = hub.write(session, .create(try! StoreName("v"), Schema(type: .integer, durability: .volatile)))
    hub.engine.journalWritten()
    _ = hub.turn()
    hub.engine.closeJournal("full", needsSnapshot: false)
    #expect(hub.write(session, .set("v", .integer(1))).result?.changed == true)
    hub.engine.ledger.outbox.reserved = (0, 0)
    #expect(hub.write(session, .set("v", .integer(2))).errorCode == .storageFailed)
  }
}
