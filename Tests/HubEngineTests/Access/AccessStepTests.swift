// Other access rules beside many watches: what they change for each watch is found in steps, after the rules are in force.

import Glibc
import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Other access rules in steps") struct AccessStepTests {
  private static let closed = accessRules([("free.**", [AccessGrant(.anyone, .all)])])
  private static let patterns = ["**.n7", "*.secret.**", "**.free.n8", "free.n8"]

  private func hub(stores: Int) throws -> EngineFixture {
    var hub = EngineFixture {
      $0.stepWork = 5_000
      $0.changeLogBytes = 1 << 22
    }
    let writer = hub.connect(1, uid: 0)
    for number in 0..<stores {
      let part = number % 2 == 0 ? "free" : "secret"
      _ = hub.write(writer, .set(.name(try StoreName("\(part).n\(number)")), .integer(1)))
    }
    _ = hub.turn()
    return hub
  }

  private func watch(_ patterns: [String], _ session: SessionID, _ hub: inout EngineFixture) throws {
    var frame = OutputBuffer()
    Request.watch(try patterns.map { try NamePattern($0) }).encode(into: &frame, id: 77)
    while hub.ask(session, frame.array).receipt.contains(.askAgain) { _ = hub.turn() }
  }

  @Test("rules that take come into force at once, and a watch is told in steps of what it has lost")
  func losing() throws {
    var hub = try hub(stores: 1000)
    let session = hub.connect(2)
    try watch(Self.patterns, session, &hub)
    #expect(hub.turn()[2]?.count == 3, "secret.n7, free.n8, synced")
    let before = hub.engine.work
    hub.engine.setAccess(Self.closed) { _ in [] }
    #expect(hub.engine.work == before, "no pattern was compared")
    #expect(hub.ask(session, .get("secret.n7")).errorCode == .noSuchStore)
    let events = hub.turn()[2] ?? []
    guard events.count == 2, case .removed("secret.n7", let removal, _, _) = events[0],
      case .synced = events[1]
    else { throw TestFailure("\(events)") }
    #expect(removal.isWithdrawn && hub.engine.work - before > 1000 * Cost.passed)
    #expect(hub.engine.feed.news.isEmpty && hub.engine.brokenInvariants() == [])
    _ = hub.write(SessionID(raw: 1), .set("secret.n7", .integer(3)))
    #expect(hub.turn()[2] == nil)
    _ = hub.write(SessionID(raw: 1), .set("free.n8", .integer(3)))
    #expect(hub.turn()[2]?.count == 2, "the change, and synced, because two patterns match")
  }

  @Test(
    "stores for which nothing changes cost one look for all users together, and a new user costs work for each rule"
  )
  func users() throws {
    var hub = try hub(stores: 20_000)
    let open = accessRules([("**", [AccessGrant(.anyone, .all)])])
    let rules = (0..<50).map { ("free.n\($0).**", [AccessGrant(.user(1, name: ""), .all)]) }
    let other = accessRules([("**", [AccessGrant(.anyone, .all)])] + rules)
    hub.engine.setAccess(open) { _ in [] }
    let before = hub.engine.work
    var costs: [Double] = []
    for users in [0..<3, 3..<300] {
      for user in users {
        let session = hub.connect(Int32(10 + user), uid: 5000 + UInt32(user))
        try watch(["free.n7"], session, &hub)
      }
      _ = hub.turn()
      var least = Double.infinity
      for _ in 0..<3 {
        hub.engine.setAccess(open) { _ in [] }
        _ = hub.turn()
        least = min(least, time { hub.engine.setAccess(other) { _ in [] } })
        #expect(hub.turn().isEmpty)
      }
      costs.append(least)
    }
    #expect(hub.engine.work - before > 300 * Cost.node && hub.engine.brokenInvariants() == [])
    // A look at each store for each user would cost a hundred times as much.
    #expect(costs[1] < 20 * costs[0], "\(costs[1]) s, \(costs[0]) s for a hundredth of the users")
  }

  /// Processor time of this thread, in seconds.
  private func time(_ body: () -> Void) -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    body()
    return now() - start
  }

  @Test("a hub that takes over while stores are being found shows the same", arguments: [false, true])
  func handOver(gains: Bool) throws {
    var hub = try hub(stores: 400)
    if gains { hub.engine.setAccess(Self.closed) { _ in [] } }
    let session = hub.connect(2)
    try watch(Self.patterns, session, &hub)
    _ = hub.turn()
    hub.engine.pauseDelivery(to: session)
    hub.engine.setAccess(gains ? AccessRules() : Self.closed) { _ in [] }
    var options = hub.engine.options
    options.access = gains ? AccessRules() : Self.closed
    hub.engine = try EngineImage.engine(from: EngineImage.bytes(of: hub.engine), options: options)
    hub.engine.resumeDelivery(to: session)
    let events = hub.turn()[2] ?? []
    guard case .forget? = events.first, case .synced? = events.last else { throw TestFailure("\(events)") }
    let names = events.compactMap { if case .current(let name, _) = $0 { name } else { nil } }
    #expect(Set(names) == (gains ? ["secret.n7", "free.n8"] : ["free.n8"]))
    #expect(hub.engine.brokenInvariants() == [])
  }

  @Test("other rules again, before a watch was told of the first ones, make it start over")
  func twice() throws {
    var hub = try hub(stores: 20)
    let session = hub.connect(2)
    try watch(["**"], session, &hub)
    _ = hub.turn()
    hub.engine.pauseDelivery(to: session)
    hub.engine.setAccess(Self.closed) { _ in [] }
    hub.engine.setAccess(accessRules([("free.n2", [AccessGrant(.anyone, .all)])])) { _ in [] }
    hub.engine.resumeDelivery(to: session)
    let events = hub.turn()[2] ?? []
    guard case .forget? = events.first, case .synced? = events.last else { throw TestFailure("\(events)") }
    let names = events.compactMap { if case .current(let name, _) = $0 { name } else { nil } }
    #expect(names == ["free.n2"])
  }

  @Test("a watch that has to start over while other rules are being applied makes only itself start over")
  func startingOver() throws {
    var hub = try hub(stores: 1000)
    let (session, other) = (hub.connect(2), hub.connect(3))
    try watch(Self.patterns, session, &hub)
    try watch(["free.n8"], other, &hub)
    _ = hub.turn()
    hub.engine.setAccess(Self.closed) { _ in [] }
    // As if its turn had taken too long to assemble.
    hub.engine.feed.isLost = true
    let events = hub.turn()
    guard case .forget? = events[2]?.first, case .synced? = events[2]?.last else {
      throw TestFailure("\(events)")
    }
    #expect(events[3]?.contains { if case .forget = $0 { true } else { false } } != true)
    #expect(!hub.engine.feed.isLost && hub.engine.brokenInvariants() == [])
  }

  @Test("a session whose patterns make a store that it may read now match too many is ended, and told why")
  func crowded() throws {
    var hub = try hub(stores: 2)
    let hidden = "secret." + Array(repeating: "a", count: 13).joined(separator: ".")
    _ = hub.write(SessionID(raw: 1), .set(.name(try StoreName(hidden)), .integer(1)))
    _ = hub.turn()
    hub.engine.setAccess(Self.closed) { _ in [] }
    let session = hub.connect(2)
    // They all match the store that it may not read.
    let patterns = (0..<Int(PatternTable.mostPerStore) + 10).map { number in
      let parts = (0..<13).map { number >> $0 & 1 == 0 ? "a" : "*" }
      return "secret." + parts.joined(separator: ".")
    }
    try watch(patterns, session, &hub)
    _ = hub.turn()
    hub.engine.setAccess(AccessRules()) { _ in [] }
    _ = hub.turn()
    let ended = hub.engine.nextOverdrawn()
    #expect(ended?.session == session && ended?.reason.contains("4096") == true)
    #expect(hub.engine.nextOverdrawn() == nil)
    while !hub.engine.close(session, in: hub.engine.openTurn(), now: hub.now) {}
    _ = hub.turn()
    #expect(hub.engine.feed.news.isEmpty)
  }
}
