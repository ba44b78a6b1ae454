// Filters of watches, one property at a time; `FilterModelTests` has random histories.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Filters of watches") struct FilterTests {
  private let writer = SessionID(raw: 3)
  private let watcher = SessionID(raw: 4)

  private func hub(_ filter: WatchFilter, of pattern: String = "a") throws -> EngineFixture {
    var hub = EngineFixture()
    _ = (hub.connect(3), hub.connect(4))
    _ = hub.write(writer, .set("a", .integer(0)))
    _ = hub.turn()
    _ = hub.ask(watcher, .watch([try NamePattern(pattern)], filter: filter))
    #expect(values(&hub) == [.integer(0)])
    return hub
  }

  /// Ends the turn: the values that the watcher gets.
  private func values(_ hub: inout EngineFixture) -> [Value] {
    (hub.turn()[watcher.raw] ?? []).compactMap { event in
      switch event {
      case .current(_, let state), .change(let state, _, _): state.value
      default: nil
      }
    }
  }

  private func set(_ value: Value, _ hub: inout EngineFixture) -> [Value] {
    _ = hub.write(writer, .set("a", value))
    return values(&hub)
  }

  private func wait(_ milliseconds: UInt64, _ hub: inout EngineFixture) -> [Value] {
    hub.now.boot += milliseconds * 1_000_000
    hub.expire()
    return values(&hub)
  }

  @Test("after an event nothing comes until the interval ends, and then only the newest value")
  func interval() throws {
    var hub = try hub(WatchFilter(atMost: .milliseconds(100)))
    #expect(hub.engine.nextDeadline == hub.now.boot + 100_000_000)
    #expect(set(.integer(1), &hub) == [] && set(.integer(2), &hub) == [])
    #expect(wait(99, &hub) == [] && set(.integer(3), &hub) == [])
    #expect(wait(1, &hub) == [.integer(3)])
    // Nothing has changed when this interval ends, so the next change comes at once.
    #expect(wait(100, &hub) == [] && hub.engine.nextDeadline == nil)
    #expect(set(.integer(4), &hub) == [.integer(4)])
    #expect(set(.integer(5), &hub) == [] && wait(100, &hub) == [.integer(5)])
  }

  @Test("a change that a resting watch does not get costs its writer nothing for it")
  func resting() throws {
    let filter = try WatchFilter(atMost: .seconds(1))
    let cost = try EngineFixture.costOfChange(beside: 1000, filter)
    #expect(try cost == EngineFixture.costOfChange(beside: 1, filter))
  }

  @Test("a deadband is measured from what was delivered last, not from what was left out")
  func deadband() throws {
    var hub = try hub(WatchFilter(by: 5))
    // Each step is small, and together they leave the band.
    #expect(set(.integer(2), &hub) == [] && set(.integer(4), &hub) == [])
    #expect(set(.integer(5), &hub) == [.integer(5)])
    #expect(set(.integer(1), &hub) == [] && set(.integer(10), &hub) == [.integer(10)])
    #expect(hub.engine.nextDeadline == nil)
  }

  @Test(
    "the band around a value is left by at least its amount",
    arguments: [
      (Deadband.absolute(0.5), Value.double(1), Value.double(1.5), true),
      (0.5, .double(1), .double(1.25), false),
      (0.5, .integer(1), .integer(1), false), (0.5, .integer(1), .integer(2), true),
      (.percent(10), .integer(100), .integer(110), true),
      (.percent(10), .integer(-100), .integer(-109), false),
      (.percent(10), .integer(0), .integer(1), true), (.percent(10), .double(0), .double(-0.0), false),
      (1e18, .integer(.min), .integer(.max), true), (.percent(201), .integer(.min), .integer(.max), false),
      (1, .integer(1), .double(1), true), (1, .string("a"), .string("a"), true),
      (1e308, .double(-1.7e308), .double(1.7e308), true),
    ] as [(Deadband, Value, Value, Bool)])
  func bands(_ deadband: Deadband, _ last: Value, _ new: Value, isLeft: Bool) {
    #expect(deadband.isLeft(from: last, to: new) == isLeft)
  }

  @Test("the initial value, to which reset and the end of a lifetime lead, is never left out")
  func initialValue() throws {
    var hub = try hub(WatchFilter(by: 100))
    _ = hub.write(writer, .create(try StoreName("a"), Schema(type: .integer, initial: .integer(7))))
    #expect(values(&hub) == [])
    #expect(set(.integer(9), &hub) == [])
    _ = hub.write(writer, .reset("a"))
    #expect(values(&hub) == [.integer(7)])
    _ = hub.write(writer, .set("a", .integer(8), lifetime: Lifetime(ttl: 10)))
    #expect(values(&hub) == [])
    #expect(wait(10, &hub) == [])
    #expect(set(.integer(107), &hub) == [.integer(107)])
    _ = hub.write(writer, .set("a", .integer(108), lifetime: Lifetime(ttl: 10)))
    #expect(values(&hub) == [] && wait(10, &hub) == [.integer(7)])
  }

  @Test("a removal is never left out, and the store of that name that follows is new")
  func removal() throws {
    var hub = try hub(WatchFilter(atMost: .milliseconds(10), by: 100))
    _ = hub.write(writer, .remove("a"))
    #expect(hub.turn()[watcher.raw] == nil)
    _ = hub.write(writer, .set("a", .integer(1)))
    hub.now.boot += 10_000_000
    hub.expire()
    let events = hub.turn()[watcher.raw] ?? []
    guard events.count == 3, case .removed("a", _, _, _) = events[0],
      case .current("a", let state) = events[1], case .synced = events[2]
    else { throw TestFailure("\(events)") }
    #expect(state.value == .integer(1))
    #expect(hub.engine.brokenInvariants() == [])
  }

  @Test("another watch of the connection is shown at once, with what has changed meanwhile")
  func another() throws {
    var hub = try hub(WatchFilter(atMost: .milliseconds(10)))
    _ = hub.write(writer, .set("b", .integer(1)))
    #expect(set(.integer(1), &hub) == [])
    _ = hub.ask(watcher, .watch([try NamePattern("b")], filter: try WatchFilter(atMost: .milliseconds(10))))
    #expect(Set(values(&hub)) == [.integer(1)] && set(.integer(2), &hub) == [])
    #expect(wait(10, &hub) == [.integer(2)])
  }

  @Test("a connection has one filter, which ends with its last watch")
  func oneFilter() throws {
    var hub = try hub(WatchFilter(atMost: .milliseconds(10)))
    let requests: [Request] = [
      .watch([.everything]), .watch([.everything], filter: try WatchFilter(atMost: .milliseconds(11))),
      .watch([.everything], filter: try WatchFilter(atMost: .milliseconds(10), by: 1)),
      .watch([.everything], policy: .every, filter: try WatchFilter(atMost: .milliseconds(10))),
      .watch([.everything], schemas: true, filter: try WatchFilter(atMost: .milliseconds(10))),
    ]
    for request in requests { #expect(hub.ask(watcher, request).errorCode == .malformed) }
    var frame = OutputBuffer()
    Request.watch([.everything], filter: try WatchFilter(by: 2)).encode(into: &frame, id: 900)
    let other = hub.connect(9)
    _ = hub.ask(other, frame.array)
    _ = hub.turn()
    #expect(hub.ask(other, .watch([.everything])).errorCode == .malformed)
    _ = hub.ask(other, .unwatch(900))
    #expect(hub.engine.feed.filters.count == 1 && hub.engine.brokenInvariants() == [])
    guard case .watching = hub.ask(other, .watch([.everything], policy: .every)) else {
      throw TestFailure("")
    }
    hub.close(watcher)
    #expect(hub.engine.feed.filters.isEmpty && hub.engine.nextDeadline == nil)
  }

  @Test(
    "a filter that asks for nothing, or for something impossible, is refused",
    arguments: [
      [0], [1, 0, 0, 0, 0], [1, 1, 0], [1, 1, 0x5C, 0x26, 5], [2] + [UInt8](repeating: 0, count: 8),
      [2] + [UInt8](repeating: 0, count: 6) + [0xF8, 0x7F],
      [4] + [UInt8](repeating: 0, count: 6) + [0xF0, 0xBF],
      [6] + [UInt8](repeating: 0x3F, count: 16), [8, 1, 0], [8, 3, 0], [16, 0, 0, 0, 0], [32, 1, 0, 0, 0],
      [9, 1, 0, 0, 0],
      [8, 0, 0], [8, 9, 0], [8, 7, 1, 3, 1, 0, 0, 0, 1], [8, 5, 1, 3, 1, 0, 0, 0, 1],
      [8, 1, 1, 4, 1, 0, 0, 0, 0xFF], [8, 1, 2, 3, 1, 0, 0, 0, 1],
      [8, 1, 1, 5, 0, 4, 0, 0] + [UInt8](repeating: 1, count: 1024),
    ] as [[UInt8]])
  func refused(_ bytes: [UInt8]) {
    bytes.withByteView { view in
      var reader = ByteReader(view)
      #expect(WatchFilter(reading: &reader) == nil)
    }
    #expect(throws: HubError.self) { try WatchFilter() }
    #expect(throws: HubError.self) { try WatchFilter(atMost: .zero) }
    #expect(throws: HubError.self) { try WatchFilter(atMost: .seconds(86_401)) }
    #expect(throws: HubError.self) { try WatchFilter(by: 0) }
    for condition in [
      WatchCondition(.equal), WatchCondition(.less, [.integer(1), .integer(2)]),
      WatchCondition(.greater, [.json("1")]),
      WatchCondition(.equal, [.data([UInt8](repeating: 1, count: 1018))]),
    ] {
      #expect(throws: HubError.self) { try WatchFilter(when: condition) }
    }
    #expect(throws: Never.self) {
      try WatchFilter(when: WatchCondition(.equal, [.data([UInt8](repeating: 1, count: 1017))]))
    }
    #expect(throws: HubError.self) { try WatchFilter(by: .percent(.infinity)) }
  }

  @Test("a connection that took only a part of a batch gets the rest, and then rests")
  func partly() throws {
    var hub = try hub(WatchFilter(atMost: .milliseconds(10), by: 5), of: "**")
    for number in 0..<20 { _ = hub.write(writer, .set(.name(try StoreName("s\(number)")), .integer(1))) }
    hub.now.boot += 10_000_000
    hub.expire()
    var (names, rest): (Set<String>, [UInt8]) = ([], [])
    for round in 0..<100 {
      let turn = hub.engine.seal(hub.engine.openTurn())
      while let session = hub.engine.nextDue(in: turn) {
        let due = hub.engine.due(for: session, in: turn)
        rest += due.slice(0, min(due.count, 77)).array
        rest += hub.engine.sent(min(due.count, 77), to: session, in: turn).array
      }
      hub.engine.end(turn)
      #expect(hub.engine.brokenInvariants() == [])
      hub.engine.resumeDelivery(to: watcher)
      if round > 60 { #expect(hub.engine.feed.sessions[watcher].delivery == .resting) }
    }
    rest.withByteView { bytes in
      var frames = FrameCursor(bytes)
      var count = 0
      while let frame = frames.next() {
        if case .current(let name, _)? = try? HubEvent(decoding: frame) {
          (count, _) = (count + 1, names.insert(name))
        }
      }
      #expect(count == 20 && names.count == 20)
    }
    // The band of each is measured from what it got.
    _ = hub.write(writer, .set("s3", .integer(5)))
    _ = hub.write(writer, .set("s4", .integer(6)))
    #expect(wait(10, &hub) == [.integer(6)])
  }

  @Test("other rights make the watch start over, with nothing left out")
  func access() throws {
    var hub = EngineFixture { $0.uid = 7 }
    _ = (hub.connect(3, uid: 7), hub.connect(4))
    _ = hub.write(writer, .set("a", .integer(1)))
    _ = hub.ask(watcher, .watch([.everything], filter: try WatchFilter(atMost: .seconds(1), by: 5)))
    #expect(values(&hub) == [.integer(1)])
    #expect(set(.integer(2), &hub) == [])
    hub.engine.setAccess(accessRules([])) { _ in [] }
    let events = hub.turn()[watcher.raw] ?? []
    guard case .removed("a", let removal, _, _)? = events.first, removal.isWithdrawn else {
      throw TestFailure("\(events)")
    }
    hub.engine.setAccess(AccessRules()) { _ in [] }
    let again = hub.turn()[watcher.raw] ?? []
    guard case .forget? = again.first, case .current("a", let state) = again.dropFirst().first else {
      throw TestFailure("\(again)")
    }
    #expect(state.value == .integer(2) && hub.engine.brokenInvariants() == [])
  }

  @Test("the numbers that a deadband is measured from are charged to the watcher's user")
  func memory() throws {
    var hub = EngineFixture()
    _ = (hub.connect(3, uid: 1), hub.connect(4, uid: 2))
    for number in 0..<50 { _ = hub.write(writer, .set(.name(try StoreName("s\(number)")), .integer(1))) }
    _ = hub.turn()
    let before = hub.engine.stores.accounts[2].watchBytes
    _ = hub.ask(watcher, .watch([.everything], filter: try WatchFilter(by: 5)))
    _ = hub.turn()
    _ = set(.integer(1), &hub)
    #expect(hub.engine.stores.accounts[2].watchBytes >= before + 50 * MemoryCost.sentValue)
    #expect(hub.engine.brokenInvariants() == [])
    hub.close(watcher)
    #expect(hub.engine.stores.accounts[2].watchBytes == before && hub.engine.brokenInvariants() == [])
  }
}
