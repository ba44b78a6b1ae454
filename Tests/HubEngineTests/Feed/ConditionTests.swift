// Watches with a condition, one property at a time; `FilterModelTests` has random histories.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Conditions of watches") struct ConditionTests {
  private let writer = SessionID(raw: 3)
  private let watcher = SessionID(raw: 4)

  private func hub(_ filter: WatchFilter, of pattern: String = "a", from value: Value = .integer(0)) throws
    -> EngineFixture
  {
    var hub = EngineFixture()
    _ = (hub.connect(3), hub.connect(4))
    _ = hub.write(writer, .set("a", value))
    _ = hub.turn()
    _ = hub.ask(watcher, .watch([try NamePattern(pattern)], filter: filter))
    #expect(values(&hub) == [value])
    return hub
  }

  /// Ends the turn: the values that the watcher gets.
  private func values(_ hub: inout EngineFixture) -> [Value] {
    values(of: hub.turn()[watcher.raw] ?? [])
  }

  private func values(of events: [HubEvent]) -> [Value] {
    events.compactMap { event in
      switch event {
      case .current(_, let state), .change(let state, _, _), .created(_, _, let state, _, _, _): state.value
      default: nil
      }
    }
  }

  private func set(_ values: Value..., on hub: inout EngineFixture) -> [Value] {
    for value in values { _ = hub.write(writer, .set("a", value)) }
    return self.values(&hub)
  }

  private func above(_ limit: Value) throws -> WatchFilter {
    try WatchFilter(when: WatchCondition(.greater, [limit]))
  }

  @Test("a value comes when the condition begins to hold, and when it ceases to")
  func crossings() throws {
    var hub = try hub(above(.integer(10)))
    #expect(set(.integer(9), on: &hub) == [] && set(.integer(11), on: &hub) == [.integer(11)])
    #expect(set(.integer(50), on: &hub) == [] && set(.integer(10), on: &hub) == [.integer(10)])
    #expect(set(.integer(0), on: &hub) == [] && hub.engine.brokenInvariants() == [])
  }

  @Test("what holds only for a moment comes, too, also to a connection that was full")
  func moments() throws {
    var hub = try hub(above(.integer(10)))
    #expect(
      set(.integer(5), .integer(20), .integer(30), .integer(3), .integer(4), on: &hub)
        == [.integer(20), .integer(3)])
    hub.engine.pauseDelivery(to: watcher)
    #expect(set(.integer(40), .integer(41), on: &hub) == [] && set(.integer(1), on: &hub) == [])
    hub.engine.resumeDelivery(to: watcher)
    #expect(values(&hub) == [.integer(40), .integer(1)])
  }

  @Test("with an interval or a deadband the newest values are compared")
  func combined() throws {
    var slow = try hub(WatchFilter(atMost: .milliseconds(10), when: WatchCondition(.greater, [.integer(10)])))
    #expect(set(.integer(20), on: &slow) == [] && set(.integer(3), on: &slow) == [])
    slow.now.boot += 20_000_000
    slow.expire()
    #expect(values(&slow) == [] && set(.integer(11), on: &slow) == [.integer(11)])
    // Hysteresis: near the limit nothing comes.
    var wide = try hub(WatchFilter(by: 5, when: WatchCondition(.greater, [.integer(10)])), from: .integer(9))
    #expect(set(.integer(11), on: &wide) == [] && set(.integer(14), on: &wide) == [.integer(14)])
    #expect(set(.integer(10), on: &wide) == [] && set(.integer(9), on: &wide) == [.integer(9)])
    #expect(set(.integer(2), on: &wide) == [])
  }

  @Test("presence begins with a store's creation and ends with its removal; values between them do not come")
  func presence() throws {
    for condition in [WatchCondition.present, .absent] {
      var hub = try hub(WatchFilter(when: condition))
      #expect(set(.integer(1), on: &hub) == [])
      _ = hub.write(writer, .remove("a"))
      let events = hub.turn()[watcher.raw] ?? []
      guard case .removed("a", _, _, _)? = events.first, case .synced? = events.last else {
        throw TestFailure("\(events)")
      }
      for number in 2...3 {
        _ = hub.write(writer, .set("a", .integer(Int64(number)), lifetime: Lifetime(ttl: 10)))
      }
      #expect(values(&hub) == [.integer(2)])
      hub.now.boot += 10_000_000
      hub.expire()
      #expect(hub.turn()[watcher.raw]?.count == 2, "the end of the lifetime")
    }
  }

  @Test("a value of a type that the condition does not compare always comes")
  func types() throws {
    var hub = try hub(above(.integer(10)), from: .string("x"))
    #expect(set(.string("y"), .string("z"), on: &hub) == [.string("y"), .string("z")])
  }

  @Test(
    "values are compared exactly",
    arguments: [
      (.greater, [.integer(10)], .double(10.5), true), (.greater, [.double(10.5)], .integer(10), false),
      (.less, [.double(0x1p63)], .integer(.max), true),
      (.equal, [.double(0x1p53)], .integer((1 << 53) + 1), false),
      (.equal, [.integer(1), .integer(2)], .integer(2), true),
      (.equal, [.string("b"), .integer(2)], .integer(3), false),
      (.notEqual, [.integer(1), .integer(2)], .integer(2), false),
      (.notEqual, [.boolean(true)], .boolean(false), true),
      (.lessOrEqual, [.string("b")], .string("ab"), true), (.greaterOrEqual, [.data([1])], .data([]), false),
      (.equal, [.json("1")], .json("1"), true), (.equal, [.json("1")], .integer(1), nil),
      (.less, [.string("1")], .integer(0), nil), (.present, [], .boolean(false), true),
      (.absent, [], .boolean(false), false), (.equal, [.double(0)], .double(-0.0), true),
    ] as [(WatchCondition.Comparison, [Value], Value, Bool?)])
  func comparisons(
    _ comparison: WatchCondition.Comparison, _ operands: [Value], _ value: Value, holds: Bool?
  ) {
    #expect(WatchCondition(comparison, operands).holds(for: value) == holds)
  }

  @Test("a missing store is absent, and equal to nothing")
  func missing() {
    let holding = WatchCondition.Comparison.allCases.filter {
      WatchCondition($0, [.integer(1)]).holds(for: nil as Value?) == true
    }
    #expect(holding == [.notEqual, .absent])
  }

  @Test("an upgrade keeps which values have met the condition")
  func image() throws {
    var hub = try hub(above(.integer(10)))
    #expect(set(.integer(20), on: &hub) == [.integer(20)])
    let image = EngineImage.bytes(of: hub.engine)
    hub.engine = try EngineImage.engine(from: image, options: hub.engine.options)
    #expect(EngineImage.bytes(of: hub.engine) == image)
    #expect(set(.integer(30), on: &hub) == [] && set(.integer(1), on: &hub) == [.integer(1)])
  }

  @Test(
    "a session that the change log has overtaken gets the newest value, if the condition is no longer what it was"
  )
  func overtaken() throws {
    var hub = EngineFixture { $0.changeLogBytes = 4096 }
    _ = (hub.connect(3), hub.connect(4))
    _ = hub.ask(watcher, .watch([try NamePattern("a")], filter: try above(.integer(10))))
    #expect(set(.integer(1), on: &hub) == [.integer(1)])
    for (last, expected) in [(2, []), (20, [Value.integer(20)])] as [(Int64, [Value])] {
      hub.engine.pauseDelivery(to: watcher)
      for number in 0..<200 { _ = set(.integer(Int64(number)), on: &hub) }
      _ = set(.integer(last), on: &hub)
      hub.engine.resumeDelivery(to: watcher)
      #expect(values(&hub) == expected)
    }
    #expect(hub.engine.brokenInvariants() == [])
  }

  @Test("a change that is left out costs one comparison, for any number of watches with that condition")
  func cost() throws {
    let filter = try above(.integer(10))
    let cost = try EngineFixture.costOfChange(beside: 1000, filter)
    #expect(try cost == EngineFixture.costOfChange(beside: 1, filter))
  }

  @Test("watches that share a condition all get what it lets through, whoever leaves meanwhile")
  func groups() throws {
    var hub = EngineFixture()
    _ = hub.connect(3)
    _ = hub.write(writer, .set("a", .integer(0)))
    var sessions: [SessionID] = []
    for raw in 0..<5 as Range<Int32> {
      sessions.append(hub.connect(10 + raw))
      let patterns = try (raw == 2 ? ["a", "*", "b"] : ["a"]).map { try NamePattern($0) }
      _ = hub.ask(sessions[Int(raw)], .watch(patterns, filter: try above(.integer(10))))
    }
    _ = hub.turn()
    func receivers(of value: Int64, _ hub: inout EngineFixture) -> [Int32] {
      _ = hub.write(writer, .set("a", .integer(value)))
      let events = hub.turn()
      #expect(hub.engine.brokenInvariants() == [])
      return events.keys.filter { events[$0]?.isEmpty == false }.sorted()
    }
    #expect(receivers(of: 11, &hub) == [10, 11, 12, 13, 14] && receivers(of: 12, &hub) == [])
    hub.engine.pauseDelivery(to: sessions[0])
    hub.close(sessions[1])
    #expect(receivers(of: 1, &hub) == [12, 13, 14])
    hub.engine.resumeDelivery(to: sessions[0])
    #expect(receivers(of: 2, &hub) == [10] && receivers(of: 20, &hub) == [10, 12, 13, 14])
    // The one that leads them leaves when the change is there, and nobody has it yet.
    for (leaving, value) in [(sessions[0], 1), (sessions[2], 20), (sessions[3], 1)] as [(SessionID, Int64)] {
      _ = hub.write(writer, .set("a", .integer(value)))
      hub.engine.pauseDelivery(to: leaving)
      let events = hub.turn()
      #expect(events.keys.filter { events[$0]?.isEmpty == false }.count == 3, "\(events)")
      hub.engine.resumeDelivery(to: leaving)
      _ = hub.turn()
      #expect(hub.engine.brokenInvariants() == [])
    }
  }

  @Test("watches that share a condition each get once what held for a moment, and the turn ends")
  func sharedMoments() throws {
    var hub = EngineFixture()
    _ = hub.connect(3)
    _ = hub.write(writer, .set("a", .integer(0)))
    for raw in 10..<14 as Range<Int32> {
      let session = hub.connect(raw)
      _ = hub.ask(session, .watch([try NamePattern("a")], filter: try above(.integer(10))))
    }
    _ = hub.turn()
    for value in [20, 3, 4] as [Int64] { _ = hub.write(writer, .set("a", .integer(value))) }
    let events = hub.turn()
    for raw in 10..<14 as Range<Int32> {
      let shown = values(of: events[raw] ?? [])
      #expect(shown == [.integer(20), .integer(3)])
    }
    #expect(hub.engine.brokenInvariants() == [])
  }

  @Test("the condition is charged to the watcher's user")
  func memory() throws {
    func charged(_ operand: Value) throws -> Int {
      var hub = EngineFixture()
      _ = hub.connect(4, uid: 2)
      _ = hub.ask(
        watcher, .watch([.everything], filter: try WatchFilter(when: WatchCondition(.equal, [operand]))))
      _ = hub.turn()
      #expect(hub.engine.brokenInvariants() == [])
      return hub.engine.stores.accounts[2].watchBytes
    }
    #expect(try charged(.data([UInt8](repeating: 1, count: 1000))) - charged(.data([])) == 1000)
  }
}
