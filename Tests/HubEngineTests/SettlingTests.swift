// The hub's clean end: whether every bookmark stays valid.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("The hub's clean end")
struct SettlingTests {
  /// A hub with a journal and some volatile stores, whose turns are written.
  private func hub(volatile count: Int, remembered: Int = 10) throws -> EngineFixture {
    var hub = EngineFixture {
      $0.journals = true
      $0.rememberedRemovals = remembered
    }
    hub.engine.renewReservation()
    let session = hub.connect()
    _ = hub.write(session, .set("kept", .integer(1)))
    for number in 0..<count {
      let name = try StoreName("v\(number)")
      _ = hub.write(session, .create(name, Schema(type: .integer, durability: .volatile)))
    }
    hub.engine.journalWritten()
    _ = hub.turn()
    return hub
  }

  @Test("volatile stores are removed, which the journal gets, and then it holds everything")
  func settled() throws {
    var hub = try hub(volatile: 3)
    #expect(hub.engine.settle(now: hub.now) == true)
    #expect(hub.engine.storeCount == 1)
    var removed: [String] = []
    var cursor = FrameCursor(hub.engine.outboxBytes)
    while let frame = cursor.next() {
      if case .removed(let name, _, _, _)? = try? HubEvent(decoding: frame) { removed.append(name) }
    }
    #expect(removed == ["v0", "v1", "v2"])
  }

  @Test("if nothing volatile was ever shown, it holds everything as it is")
  func nothing() throws {
    var hub = try hub(volatile: 0)
    #expect(hub.engine.settle(now: hub.now) == true)
    #expect(hub.engine.storeCount == 1 && hub.engine.outboxBytes.isEmpty)
  }

  @Test("as many volatile stores as removals are remembered can be removed, and not more", arguments: [3, 4])
  func many(count: Int) throws {
    var hub = try hub(volatile: count, remembered: 3)
    #expect(hub.engine.settle(now: hub.now) == (count == 3))
    #expect(hub.engine.storeCount == (count == 3 ? 1 : count + 1))
  }

  @Test("a journal that takes nothing, or lacks something, does not hold everything")
  func closed() throws {
    var closed = try hub(volatile: 1)
    closed.engine.closeJournal("full", needsSnapshot: false)
    #expect(closed.engine.settle(now: closed.now) == false)
    var owing = try hub(volatile: 1)
    owing.engine.closeJournal("broken", needsSnapshot: true)
    owing.engine.openJournal()
    #expect(owing.engine.settle(now: owing.now) == false)
  }
}
