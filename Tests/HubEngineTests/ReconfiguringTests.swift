// Other options in a running engine: what stays, what begins empty, and what becomes of requests that take several steps.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Other options") struct ReconfiguringTests {
  @Test("the same options change nothing: kept history, counters and the change log stay")
  func same() throws {
    var hub = EngineFixture { $0.historyBytes = 10_000 }
    let writer = hub.connect(1, uid: 0)
    for number in 0..<5 { _ = hub.write(writer, .set("a", .integer(Int64(number)))) }
    _ = hub.turn()
    let (tail, floor) = (hub.engine.history.log.tail, hub.engine.history.chronicle.floor)
    let requests = hub.engine.monitoring.tally.requests
    hub.engine.apply(hub.engine.options) { _ in [] }
    #expect(hub.engine.history.log.tail == tail && hub.engine.history.log.head > tail)
    #expect(hub.engine.history.chronicle.floor == floor && floor != nil)
    #expect(hub.engine.monitoring.tally.requests == requests && requests > 0)
    #expect(hub.engine.brokenInvariants() == [])
  }

  @Test("declarations that stay are no change: each store is declared throughout, also if others are refused")
  func declarations() throws {
    var hub = EngineFixture()
    let writer = hub.connect(1, uid: 0)
    let schema = Schema(type: .integer, initial: .integer(1))
    let names = try ["a", "b", "c"].map { try StoreName($0) }
    func declare(_ declarations: [(StoreName, Schema)]) throws -> [HubEngine.DeclarationNote] {
      try hub.engine.declare(declarations, now: hub.now)
    }
    _ = try declare(names.map { ($0, schema) })
    _ = hub.turn()
    func declared() -> [Bool] {
      names.map { name in
        guard case .described(let store) = hub.ask(writer, .describe(.name(name))) else { return false }
        return store.declared
      }
    }
    let revision = hub.engine.revision
    #expect(try declare(names.map { ($0, schema) }).isEmpty)
    #expect(hub.engine.revision == revision && declared() == [true, true, true])
    #expect(throws: HubError.self) {
      try declare([(names[0], schema), (names[1], Schema(type: .integer, initial: .string("x")))])
    }
    #expect(hub.engine.revision == revision && declared() == [true, true, true])
    _ = try declare([(names[0], schema), (names[2], schema)])
    #expect(declared() == [true, false, true] && hub.engine.revision == revision)
  }

  @Test("kept history of another size begins empty, and none is kept without a size")
  func history() throws {
    var hub = EngineFixture { $0.historyBytes = 10_000 }
    let writer = hub.connect(1, uid: 0)
    _ = hub.write(writer, .set("a", .integer(1)))
    _ = hub.turn()
    var options = hub.engine.options
    options.historyBytes = 20_000
    hub.engine.apply(options) { _ in [] }
    #expect(hub.engine.history.chronicle.floor == nil && hub.engine.isObserved)
    options.historyBytes = 0
    hub.engine.apply(options) { _ in [] }
    let isObserved = hub.engine.isObserved
    #expect(!isObserved)
    _ = hub.write(writer, .set("a", .integer(2)))
    _ = hub.turn()
    #expect(hub.engine.history.chronicle.floor == nil)
  }

  @Test("lower limits of memory and stores are in force at once, also for what there is")
  func limits() throws {
    var hub = EngineFixture()
    let writer = hub.connect(1, uid: 1000)
    for number in 0..<3 { _ = hub.write(writer, .set(.name(try StoreName("a.\(number)")), .integer(1))) }
    _ = hub.ask(writer, .watch([.everything]))
    _ = hub.turn()
    var options = hub.engine.options
    options.maximumStores = 3
    options.maximumUserMemory = 1
    hub.engine.apply(options) { _ in [] }
    #expect(hub.ask(writer, .write(.set("b", .integer(1)))).errorCode == .quota)
    let mayKeepTooMuch = hub.engine.mayKeepTooMuch
    #expect(mayKeepTooMuch)
    #expect(hub.engine.nextOverdrawn()?.session == writer)
  }

  @Test("a watch and a list that are not done begin again under other rules")
  func unfinished() throws {
    var hub = EngineFixture {
      $0.stepWork = 500
      $0.changeLogBytes = 1 << 20
    }
    let writer = hub.connect(1, uid: 0)
    for number in 0..<600 {
      _ = hub.write(
        writer, .set(.name(try StoreName("\(number % 2 == 0 ? "free" : "secret").n\(number)")), .integer(1)))
    }
    _ = hub.turn()
    let (watcher, lister) = (hub.connect(2), hub.connect(3))
    var watch = OutputBuffer()
    var list = OutputBuffer()
    Request.watch([try NamePattern("*.n7"), try NamePattern("**.n8")]).encode(into: &watch, id: 7)
    Request.list(.everything).encode(into: &list, id: 8)
    let memory = hub.engine.stores.accounts.bytes
    #expect(hub.ask(watcher, watch.array).receipt.contains(.askAgain))
    #expect(hub.ask(lister, list.array).receipt.contains(.askAgain))
    var options = hub.engine.options
    options.access = accessRules([("free.**", [AccessGrant(.anyone, .all)])])
    hub.engine.apply(options) { _ in [] }
    _ = hub.turn()
    #expect(hub.engine.feed.unfinished.isEmpty && hub.engine.stores.accounts.bytes == memory)
    while hub.ask(watcher, watch.array).receipt.contains(.askAgain) { _ = hub.turn() }
    var names: [String] = []
    for _ in 0..<100 where !names.contains("free.n8") {
      for case .current(let name, _) in hub.turn()[2] ?? [] { names.append(name) }
    }
    #expect(names == ["free.n8"])
    #expect(hub.engine.brokenInvariants() == [])
  }
}
