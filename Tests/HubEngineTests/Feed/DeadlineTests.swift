// Watches with a deadline, one property at a time; `FilterModelTests` has random histories.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Deadlines of watches") struct DeadlineTests {
  private let writer = SessionID(raw: 3)
  private let watcher = SessionID(raw: 4)

  /// A hub with the store a, which is 0, and a watch.
  private func hub(_ filter: WatchFilter, of pattern: String = "a") throws -> EngineFixture {
    var hub = EngineFixture()
    _ = (hub.connect(3), hub.connect(4))
    _ = hub.write(writer, .set("a", .integer(0)))
    _ = hub.turn()
    _ = hub.ask(watcher, .watch([try NamePattern(pattern)], filter: filter))
    #expect(told(&hub) == ["0"])
    return hub
  }

  private func filter(_ milliseconds: Int) throws -> WatchFilter {
    try WatchFilter(deadline: .milliseconds(milliseconds))
  }

  /// Ends the turn: the values that a watcher gets, with their marks.
  private func told(_ hub: inout EngineFixture, _ session: SessionID? = nil) -> [String] {
    let events = hub.turn()[(session ?? watcher).raw] ?? []
    #expect(hub.engine.brokenInvariants() == [])
    return events.compactMap { event in
      guard case .current(_, let state) = event else { return nil }
      let mark =
        switch state.silence {
        case .begun: " overdue"
        case .ended: " written"
        case nil: ""
        }
      return "\(state.value)\(mark)"
    }
  }

  private func set(_ value: Int64, _ hub: inout EngineFixture) -> [String] {
    _ = hub.write(writer, .set("a", .integer(value)))
    return told(&hub)
  }

  private func wait(_ milliseconds: UInt64, _ hub: inout EngineFixture) -> [String] {
    hub.now.boot += milliseconds * 1_000_000
    hub.expire()
    return told(&hub)
  }

  @Test("a store that is not written is overdue once, and a changed value ends that")
  func silence() throws {
    var hub = try hub(filter(100))
    #expect(hub.engine.nextDeadline == hub.now.boot + 100_000_000)
    #expect(wait(99, &hub) == [])
    #expect(wait(1, &hub) == ["0 overdue"])
    #expect(hub.engine.nextDeadline == nil)
    #expect(wait(1000, &hub) == [] && set(1, &hub) == ["1 written"])
    #expect(set(2, &hub) == ["2"])
    #expect(wait(99, &hub) == [] && wait(1, &hub) == ["2 overdue"])
  }

  @Test("an equal value is no change, but ends a silence, for those alone who were told of it")
  func equalValue() throws {
    var hub = try hub(filter(100))
    let (other, plain) = (hub.connect(5), hub.connect(6))
    _ = hub.ask(other, .watch([.everything], filter: try filter(300)))
    _ = hub.ask(plain, .watch([.everything]))
    _ = hub.turn()
    let revision = hub.engine.revision
    #expect(wait(100, &hub) == ["0 overdue"])
    _ = hub.write(writer, .set("a", .integer(0)))
    let events = hub.turn()
    #expect(Set(events.keys) == [watcher.raw])
    #expect(events[watcher.raw]?.last == .synced(revision: revision))
    #expect(set(0, &hub) == [] && hub.engine.revision == revision)
    // Both count from the last write.
    #expect(wait(99, &hub) == [] && wait(1, &hub) == ["0 overdue"])
    hub.now.boot += 200_000_000
    hub.expire()
    #expect(told(&hub, other) == ["0 overdue"])
  }

  @Test("a store that is written in time, with whatever, is never overdue")
  func inTime() throws {
    var hub = try hub(filter(100))
    for _ in 0..<50 { #expect(wait(99, &hub) == [] && set(0, &hub) == []) }
    #expect(wait(100, &hub) == ["0 overdue"])
  }

  @Test(
    "add, reset and a renewed lifetime count as written",
    arguments: [.add("a", .integer(0)), .reset("a"), .set("a", .integer(7), lifetime: Lifetime(ttl: 9000))]
      as [WriteOperation])
  func otherWrites(_ operation: WriteOperation) throws {
    var hub = try hub(filter(100))
    _ = hub.write(writer, .create(try StoreName("a"), Schema(type: .integer, initial: .integer(7))))
    _ = hub.write(writer, .set("a", .integer(7), lifetime: Lifetime(ttl: 8000)))
    _ = told(&hub)
    #expect(wait(100, &hub) == ["7 overdue"])
    _ = hub.write(writer, operation)
    #expect(told(&hub) == ["7 written"])
  }

  @Test("a transaction that fails writes nothing")
  func failedTransaction() throws {
    var hub = try hub(filter(100))
    #expect(wait(100, &hub) == ["0 overdue"])
    _ = hub.ask(writer, .transaction([.set("a", .integer(0)), .add("b", .integer(1))]))
    #expect(told(&hub) == [])
    _ = hub.ask(writer, .transaction([.set("a", .integer(0)), .set("b", .integer(1))]))
    #expect(told(&hub) == ["0 written"])
  }

  @Test(
    "a value that a deadband leaves out counts as written, and the one that ends a silence is never left out")
  func deadband() throws {
    var hub = try hub(WatchFilter(by: 10, deadline: .milliseconds(100)))
    #expect(wait(60, &hub) == [] && set(3, &hub) == [])
    #expect(wait(99, &hub) == [] && wait(1, &hub) == ["3 overdue"])
    #expect(set(4, &hub) == ["4 written"])
    // Compared with what was sent last.
    #expect(set(13, &hub) == [] && set(14, &hub) == ["14"])
  }

  @Test("a store is overdue whether it meets a condition or not")
  func condition() throws {
    let condition = WatchCondition(.greater, [.integer(80)])
    var hub = try hub(WatchFilter(when: condition, deadline: .milliseconds(100)))
    #expect(set(1, &hub) == [] && wait(100, &hub) == ["1 overdue"])
    #expect(set(2, &hub) == ["2 written"] && set(3, &hub) == [])
  }

  @Test("with an interval a silence is told when that is over, if it lasts until then")
  func interval() throws {
    var hub = try hub(WatchFilter(atMost: .milliseconds(100), deadline: .milliseconds(20)))
    #expect(wait(50, &hub) == [] && set(0, &hub) == [])
    #expect(wait(15, &hub) == [] && wait(34, &hub) == [])
    let rests = (hub.engine.nextDeadline ?? 0) - hub.now.boot
    #expect(wait((rests + 999_999) / 1_000_000, &hub) == ["0 overdue"])
    #expect(set(0, &hub) == [])
  }

  @Test("after a removal there is nothing to wait for, and a new store counts anew")
  func removal() throws {
    var hub = try hub(filter(100), of: "**")
    _ = hub.write(writer, .remove("a"))
    #expect(told(&hub) == [] && hub.engine.nextDeadline == nil)
    #expect(wait(50, &hub) == [] && set(1, &hub) == ["1"])
    #expect(wait(99, &hub) == [] && wait(1, &hub) == ["1 overdue"])
  }

  @Test("a watch that resumes is told of the first write of each store: its client may hold it to be overdue")
  func resuming() throws {
    var hub = try hub(filter(100))
    #expect(wait(100, &hub) == ["0 overdue"])
    let bookmark = Bookmark(epoch: hub.engine.epoch, revision: hub.engine.revision)
    hub.close(watcher)
    _ = hub.connect(4)
    _ = hub.ask(watcher, .watch([try NamePattern("a")], bookmark: bookmark, filter: try filter(100)))
    #expect(told(&hub) == ["0"])
    #expect(wait(50, &hub) == [] && set(0, &hub) == ["0 written"] && set(0, &hub) == [])
    #expect(wait(100, &hub) == ["0 overdue"])
  }

  @Test("a connection that takes nothing is told the latest when it does")
  func paused() throws {
    var hub = try hub(filter(100))
    hub.engine.pauseDelivery(to: watcher)
    #expect(wait(100, &hub) == [] && set(0, &hub) == [])
    hub.engine.resumeDelivery(to: watcher)
    #expect(told(&hub) == [])
    hub.engine.pauseDelivery(to: watcher)
    #expect(wait(100, &hub) == [])
    hub.engine.resumeDelivery(to: watcher)
    #expect(told(&hub) == ["0 overdue"])
  }

  @Test(
    "another watch of the connection is shown what is overdue as that, and ended watches are told nothing")
  func secondWatch() throws {
    var hub = try hub(filter(100))
    _ = hub.write(writer, .set("b", .integer(5)))
    #expect(wait(100, &hub) == ["0 overdue"])
    _ = hub.ask(watcher, .watch([.everything], filter: try filter(100)))
    #expect(told(&hub).sorted() == ["0 overdue", "5"])
    guard case .unwatched = hub.ask(watcher, .unwatch(6)) else { throw TestFailure("it is not open") }
    #expect(wait(100, &hub) == [] && set(0, &hub) == ["0 written"])
    #expect(hub.engine.feed.written.count == 1)
  }

  @Test("the memory of deadlines is the watcher's, and nothing is left when it goes")
  func memory() throws {
    var hub = try hub(filter(100), of: "**")
    for index in 0..<200 {
      _ = hub.write(writer, .set(StoreReference.name(try StoreName("s\(index)")), .integer(0)))
    }
    _ = told(&hub)
    _ = set(1, &hub)
    #expect(hub.engine.feed.filters[watcher]?.charged ?? 0 > 200 * MemoryCost.deadline)
    _ = wait(100, &hub)
    hub.close(watcher)
    _ = hub.turn()
    #expect(hub.engine.feed.written.isEmpty && hub.engine.nextDeadline == nil)
    #expect(hub.engine.brokenInvariants() == [])
  }

  @Test("an image carries what each watch was told, and what it is to be told")
  func image() throws {
    var hub = try hub(filter(100))
    #expect(wait(100, &hub) == ["0 overdue"])
    try hub.renew()
    #expect(wait(1000, &hub) == [] && set(0, &hub) == ["0 written"])
    #expect(wait(60, &hub) == [])
    try hub.renew()
    #expect(wait(39, &hub) == [] && wait(1, &hub) == ["0 overdue"])
    hub.engine.pauseDelivery(to: watcher)
    #expect(set(0, &hub) == [])
    try hub.renew()
    hub.engine.resumeDelivery(to: watcher)
    #expect(told(&hub) == ["0 written"])
  }

  @Test("a deadline costs a change of another store nothing, and an equal write no more for many watches")
  func cost() throws {
    let filter = try filter(1000)
    func cost(beside followers: Int32) throws -> Int {
      var hub = EngineFixture()
      let writer = hub.connect()
      _ = hub.write(writer, .set("a", .integer(0)))
      for raw in 0..<followers {
        _ = hub.ask(hub.connect(10 + raw), .watch([try NamePattern("a")], filter: filter))
      }
      _ = hub.turn()
      let before = hub.engine.work
      _ = hub.write(writer, .set("a", .integer(0)))
      _ = hub.turn()
      return hub.engine.work - before
    }
    #expect(try cost(beside: 1000) == cost(beside: 1))
  }
}

extension EngineFixture {
  /// The engine continues from an image of itself.
  fileprivate mutating func renew() throws {
    engine = try EngineImage.engine(from: EngineImage.bytes(of: engine), options: engine.options)
  }
}
