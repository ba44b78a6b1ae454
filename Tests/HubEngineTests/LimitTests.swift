// The engine's bounds, each at its edge: the last that is accepted, and the first that is not.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("The engine's limits")
struct LimitTests {
  private func text(_ length: Int) -> Value { .string(String(repeating: "x", count: length)) }

  @Test("as many stores as the limit says can be made, by any way of making them, and no more")
  func stores() throws {
    var hub = EngineFixture { $0.maximumStores = 2 }
    let session = hub.connect()
    #expect(hub.write(session, .set("a", .integer(1))).result?.changed == true)
    #expect(hub.write(session, .create(try StoreName("b"), Schema(type: .integer))).result?.changed == true)
    #expect(hub.write(session, .set("c", .integer(1))).errorCode == .quota)
    #expect(hub.write(session, .create(try StoreName("c"), Schema(type: .integer))).errorCode == .quota)
    #expect(hub.write(session, .set("a", .integer(2))).result?.changed == true)
    _ = hub.write(session, .remove("b"))
    #expect(hub.write(session, .set("c", .integer(1))).result?.changed == true)
  }

  @Test("a declaration may fill the hub, and not more")
  func declarations() throws {
    // Each length counts as a value, and as the schema's initial value.
    let room = 2 * MemoryCost.store(2, Schema(type: .string)) + 4 * MemoryCost.allocation + 2 * (400 + 600)
    func declare(_ lengths: [Int]) throws {
      var hub = EngineFixture {
        $0.maximumStores = 2
        $0.maximumMemory = room
      }
      let stores = try lengths.enumerated().map { index, length in
        (try StoreName("s\(index)"), Schema(type: .string, initial: text(length)))
      }
      _ = try hub.engine.declare(stores, now: hub.now)
      #expect(hub.engine.storeCount == lengths.count)
      // What is there already counts once.
      _ = try hub.engine.declare(stores, now: hub.now)
    }
    try declare([400, 600])
    #expect(throws: HubError.self) { try declare([400, 601]) }
    #expect(throws: HubError.self) { try declare([1, 1, 1]) }
  }

  @Test("a turn is full when its changes take more than a quarter of the log")
  func fullTurn() {
    var hub = EngineFixture { $0.changeLogBytes = 4096 }
    let session = hub.connect()
    _ = hub.write(session, .set("a", text(0)))
    func isFull(_ length: Int) -> Bool {
      _ = hub.turn()
      var frame = OutputBuffer()
      Request.write(.set("a", text(length))).encode(into: &frame, id: 9)
      return hub.ask(session, frame.array).receipt.contains(.turnIsFull)
    }
    // The change is its front, the value's type and length, and the value.
    let quarter = 1024 - EventLayout.body - 5
    #expect(!isFull(quarter))
    #expect(isFull(quarter + 1))
    #expect(!isFull(1))
  }

  @Test("turns are counted as slow when they take longer than 1, 10 and 100 ms, and the longest is known")
  func slowTurns() {
    var counters = ServerCounters()
    for time in [1, 1_000_000, 1_000_001, 10_000_000, 10_000_001, 100_000_000, 100_000_001, 5] as [UInt64] {
      counters.note(turn: time)
    }
    #expect(counters.slowTurns == (5, 3, 1))
    #expect(counters.longestTurn == 100_000_001 && counters.turnTime == 222_000_009)
  }
}
