// Whether a claim has watchers: who counts, from when to when, and what it costs.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("The watchers of a claim") struct WatchedClaimTests {
  /// A hub with a provider of `dev.**`, and clients who watch.
  private struct Fixture: ~Copyable {
    var hub: EngineFixture
    let provider: SessionID
    private var request: UInt32 = 9000

    init(configure: (inout HubEngine.Options) -> Void = { _ in }) throws {
      hub = EngineFixture {
        $0.uid = 0
        configure(&$0)
      }
      provider = hub.connect(3, uid: 0)
      try provide("dev", ["dev.**"])
    }

    mutating func provide(_ name: String, _ patterns: [String]) throws {
      let offer = ClaimOffer(try StoreName(name), try patterns.map { try NamePattern($0) })
      guard case .providing = hub.ask(provider, .provide(offer)) else { throw TestFailure("refused") }
      settle()
    }

    /// - Returns: the watch.
    mutating func watch(
      _ patterns: [String], _ session: SessionID, _ filter: WatchFilter? = nil
    ) throws -> UInt32 {
      request += 1
      var frame = OutputBuffer()
      Request.watch(try patterns.map { try NamePattern($0) }, filter: filter).encode(
        into: &frame, id: request)
      guard case .watching = hub.ask(session, frame.array).reply else { throw TestFailure("refused") }
      settle()
      return request
    }

    mutating func unwatch(_ watch: UInt32, _ session: SessionID) {
      #expect(hub.ask(session, .unwatch(watch)) == .unwatched)
      settle()
    }

    mutating func close(_ session: SessionID) {
      hub.close(session)
      settle()
    }

    /// Ends turns until there is nothing more to do.
    mutating func settle() {
      repeat {
        hub.engine.deal(now: hub.now)
        while hub.engine.nextMessage() != nil {}
        _ = hub.turn()
      } while hub.engine.hasWork
    }

    private func status(_ claim: String) throws -> ClaimStatus {
      let store = ClaimStatus.prefix + claim
      guard let slot = hub.engine.stores.find(store),
        let status = ClaimStatus(store, hub.engine.stores.value(of: slot).value)
      else { throw TestFailure("no claim") }
      return status
    }

    /// Whether the claim's state says that it has watchers.
    func isWatched(_ claim: String = "dev") throws -> Bool { try status(claim).isWatched }

    /// The least interval that it reports.
    func interval(_ claim: String = "dev") throws -> Duration? { try status(claim).interval }

    var isSound: Bool { hub.engine.brokenInvariants() == [] }
  }

  @Test("the first watch of a store, existing or not, begins it, and the end of the last one ends it")
  func firstAndLast() throws {
    var fixture = try Fixture()
    let (one, other) = (fixture.hub.connect(4), fixture.hub.connect(5))
    #expect(try !fixture.isWatched())
    let watch = try fixture.watch(["dev.level"], one)
    #expect(try fixture.isWatched())
    let revision = fixture.hub.engine.revision
    let glob = try fixture.watch(["*.level"], one)
    _ = try fixture.watch(["dev.level", "dev.other"], other)
    fixture.unwatch(watch, one)
    fixture.unwatch(glob, one)
    #expect(try fixture.isWatched() && fixture.hub.engine.revision == revision)
    fixture.close(other)
    #expect(try !fixture.isWatched() && fixture.hub.engine.revision == revision + 1)
    let isSound = fixture.isSound
    #expect(isSound)
  }

  @Test(
    "a glob counts if it can match a store of the claim",
    arguments: [
      ("**", true), ("*.level", true), ("dev", true), ("dev.*.*.x", true), ("**.z", true), ("*", true),
      ("*.dev.*", true), ("device.**", false), ("*.dev", true), ("de", false), ("a.**", false),
    ])
  func globs(pattern: String, counts: Bool) throws {
    var fixture = try Fixture()
    let session = fixture.hub.connect(4)
    let watch = try fixture.watch([pattern], session)
    #expect(try fixture.isWatched() == counts)
    fixture.unwatch(watch, session)
    #expect(try !fixture.isWatched() && fixture.isSound)
  }

  @Test("a get, a list and a watch of the claim's state are not watchers")
  func others() throws {
    var fixture = try Fixture()
    let session = fixture.hub.connect(4)
    _ = fixture.hub.ask(session, .get("dev.level"))
    _ = fixture.hub.ask(session, .list(try NamePattern("dev.**")))
    _ = try fixture.watch(["statehub.providers.**"], session)
    #expect(try !fixture.isWatched())
  }

  @Test("watchers that were there before the claim are found, in steps, and only once")
  func before() throws {
    var fixture = try Fixture()
    let session = fixture.hub.connect(4)
    for number in 0..<60 {
      _ = try fixture.watch((0..<100).map { "other.n\(number).n\($0)" }, session)
    }
    let watch = try fixture.watch(["late.**", "**.level"], session)
    let offer = ClaimOffer(try StoreName("late"), [try NamePattern("late.*"), try NamePattern("late.*.*")])
    _ = fixture.hub.ask(fixture.provider, .provide(offer))
    var turns = 0
    repeat {
      let before = fixture.hub.engine.work
      fixture.hub.engine.followWatchers(until: before + 5000, now: fixture.hub.now)
      #expect(fixture.hub.engine.work - before < 10_000)
      turns += 1
    } while fixture.hub.engine.claims.isCounting && turns < 1000
    #expect(turns > 3)
    fixture.settle()
    #expect(try fixture.isWatched("late") && fixture.isWatched())
    fixture.unwatch(watch, session)
    #expect(try !fixture.isWatched("late") && !fixture.isWatched() && fixture.isSound)
  }

  @Test("who may not read the stores does not count, until the rules change")
  func access() throws {
    func rules(_ secret: AccessRights) -> AccessRules {
      accessRules([
        ("dev.secret.**", [AccessGrant(.anyone, secret)]), ("dev.**", [AccessGrant(.anyone, .read)]),
        ("**", [AccessGrant(.anyone, .read)]),
      ])
    }
    var fixture = try Fixture { $0.access = rules([]) }
    try fixture.provide("elsewhere", ["elsewhere"])
    _ = fixture.hub.ask(fixture.provider, .standing(try StoreName("dev"), .released))
    try fixture.provide("secret", ["dev.secret.*"])
    let session = fixture.hub.connect(4)
    _ = try fixture.watch(["dev.secret.x", "dev.**", "*.secret.*"], session)
    #expect(try !fixture.isWatched("secret"))
    fixture.hub.engine.setAccess(rules(.read)) { _ in [] }
    fixture.settle()
    #expect(try fixture.isWatched("secret"))
    fixture.hub.engine.setAccess(rules(.write)) { _ in [] }
    fixture.settle()
    #expect(try !fixture.isWatched("secret"))
    let root = fixture.hub.connect(5, uid: 0)
    _ = try fixture.watch(["dev.**"], root)
    #expect(try fixture.isWatched("secret") && fixture.isSound)
  }

  @Test("a new provider of the claim, a hand-off and a reload find the watchers again, and nothing changes")
  func again() throws {
    var fixture = try Fixture()
    let session = fixture.hub.connect(4)
    _ = try fixture.watch(["dev.level"], session)
    let other = fixture.hub.connect(5, uid: 0)
    let image = EngineImage.bytes(of: fixture.hub.engine)
    fixture.hub.engine = try EngineImage.engine(from: image, options: fixture.hub.engine.options)
    let revision = fixture.hub.engine.revision
    fixture.settle()
    fixture.hub.engine.declare(providers: [], now: fixture.hub.now)
    fixture.settle()
    #expect(try fixture.isWatched() && fixture.hub.engine.revision == revision)
    let offer = ClaimOffer(try StoreName("dev"), [try NamePattern("dev.*")], replaces: true)
    guard case .providing = fixture.hub.ask(other, .provide(offer)) else { throw TestFailure("refused") }
    fixture.settle()
    #expect(try fixture.isWatched())
    fixture.close(session)
    #expect(try !fixture.isWatched() && fixture.isSound)
  }

  @Test("a watch of a name costs the same beside one claim and two hundred")
  func cost() throws {
    func cost(_ claims: Int) throws -> Int {
      var fixture = try Fixture()
      for number in 0..<claims { try fixture.provide("c\(number)", ["c\(number).**"]) }
      let session = fixture.hub.connect(4)
      let before = fixture.hub.engine.work
      var frame = OutputBuffer()
      Request.watch([try NamePattern("c0.level")]).encode(into: &frame, id: 77)
      _ = fixture.hub.ask(session, frame.array)
      return fixture.hub.engine.work - before
    }
    #expect(try cost(200) == cost(1))
  }

  @Test("the state has the least interval that watchers ask for, unless one of them wants every change")
  func intervals() throws {
    var fixture = try Fixture()
    let sessions = (4..<9).map { fixture.hub.connect($0) }
    let slow = try fixture.watch(["dev.level"], sessions[0], WatchFilter(atMost: .milliseconds(500)))
    #expect(try fixture.isWatched() && fixture.interval() == .milliseconds(500))
    let glob = try fixture.watch(["dev.*"], sessions[1], WatchFilter(atMost: .milliseconds(100), by: 2))
    let same = try fixture.watch(["dev.level"], sessions[2], WatchFilter(atMost: .milliseconds(100)))
    #expect(try fixture.interval() == .milliseconds(100))
    let band = try fixture.watch(["dev.level"], sessions[3], WatchFilter(by: 2))
    #expect(try fixture.isWatched() && fixture.interval() == nil)
    let revision = fixture.hub.engine.revision
    let every = try fixture.watch(["**"], sessions[4])
    fixture.unwatch(band, sessions[3])
    #expect(try fixture.interval() == nil && fixture.hub.engine.revision == revision)
    fixture.unwatch(every, sessions[4])
    #expect(try fixture.interval() == .milliseconds(100) && fixture.hub.engine.revision == revision + 1)
    fixture.unwatch(glob, sessions[1])
    #expect(try fixture.interval() == .milliseconds(100) && fixture.isSound)
    let image = EngineImage.bytes(of: fixture.hub.engine)
    fixture.hub.engine = try EngineImage.engine(from: image, options: fixture.hub.engine.options)
    fixture.settle()
    #expect(try fixture.interval() == .milliseconds(100) && fixture.isSound)
    fixture.unwatch(same, sessions[2])
    #expect(try fixture.interval() == .milliseconds(500))
    fixture.unwatch(slow, sessions[0])
    #expect(try !fixture.isWatched() && fixture.interval() == nil && fixture.isSound)
  }

  @Test("a pattern whose users came and went while there was no claim is counted as it is now")
  func unclaimed() throws {
    var fixture = try Fixture()
    let (one, other) = (fixture.hub.connect(4), fixture.hub.connect(5))
    let watch = try fixture.watch(["**"], one, WatchFilter(atMost: .milliseconds(500)))
    #expect(try fixture.interval() == .milliseconds(500))
    _ = fixture.hub.ask(fixture.provider, .standing(try StoreName("dev"), .released))
    fixture.settle()
    fixture.unwatch(watch, one)
    try fixture.provide("dev", ["dev.**"])
    #expect(try !fixture.isWatched())
    _ = try fixture.watch(["**"], one, WatchFilter(atMost: .milliseconds(200)))
    _ = try fixture.watch(["**"], other, WatchFilter(atMost: .milliseconds(300)))
    #expect(try fixture.interval() == .milliseconds(200) && fixture.isSound)
  }

  @Test("the ten-thousandth follower with an interval costs what the second one does, and so does its end")
  func crowd() throws {
    var fixture = try Fixture()
    func cost(_ raw: Int32) throws -> (begin: Int, end: Int) {
      let session = fixture.hub.connect(raw)
      let before = fixture.hub.engine.work
      _ = try fixture.watch(["dev.level"], session, WatchFilter(atMost: .milliseconds(100)))
      let middle = fixture.hub.engine.work
      if raw % 100 == 5 { fixture.close(session) }
      return (middle - before, fixture.hub.engine.work - middle)
    }
    _ = try cost(4)
    let second = try cost(5)
    for raw in 6..<Int32(2004) { _ = try cost(raw) }
    let last = try cost(2005)
    #expect(last.begin <= second.begin + 10 && last.end <= second.end + 10, "\(second), then \(last)")
    let isSound = fixture.isSound
    #expect(isSound)
  }

  @Test("least intervals agree with a search among all that were added", arguments: 0..<4 as Range<UInt64>)
  func counts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (counts, all) = (IntervalCounts(), [UInt32]())
    for _ in 0..<2000 {
      if all.isEmpty || Int.random(in: 0..<2, using: &random) == 0 {
        all.append([0, 10, 20, 30, 40].randomElement(using: &random)!)
        counts.add(all[all.count - 1])
      } else {
        counts.remove(all.remove(at: Int.random(in: all.indices, using: &random)))
      }
      #expect(counts.count == all.count && counts.least == all.min() ?? 0)
    }
  }

  @Test(
    "claims and watches that come and go in any order agree with a comparison of all with all",
    arguments: 0..<6 as Range<UInt64>)
  func histories(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fixture = try Fixture()
    let sessions = (4..<8).map { fixture.hub.connect($0) }
    var claims: [String: [String]] = ["dev": ["dev.**"]]
    var watches: [(id: UInt32, session: SessionID, patterns: [String])] = []
    // Of two of the sessions: all watches of one have the same.
    let filters: [SessionID: UInt32] = [sessions[0]: 300, sessions[1]: 50]
    func pattern() -> String {
      (0..<Int.random(in: 1...3, using: &random)).map { _ in
        ["a", "b", "c0", "c1", "c2", "*", "**"].randomElement(using: &random)!
      }.joined(separator: ".")
    }
    for step in 0..<250 {
      let number = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        let (name, patterns) = ("c\(number)", ["c\(number).*", "a.c\(number).**"])
        guard claims[name] == nil else { continue }
        try fixture.provide(name, patterns)
        claims[name] = patterns
      case 1:
        guard claims.removeValue(forKey: "c\(number)") != nil else { continue }
        _ = fixture.hub.ask(fixture.provider, .standing(try StoreName("c\(number)"), .released))
        fixture.settle()
      case 2, 3:
        let session = sessions.randomElement(using: &random)!
        let patterns = (0..<Int.random(in: 1...3, using: &random)).map { _ in pattern() }
        let filter = try filters[session].map { try WatchFilter(atMost: .milliseconds($0)) }
        watches.append((try fixture.watch(patterns, session, filter), session, patterns))
      default:
        guard !watches.isEmpty else { continue }
        let watch = watches.remove(at: Int.random(in: watches.indices, using: &random))
        fixture.unwatch(watch.id, watch.session)
      }
      for (name, own) in claims {
        let own = try own.map { try NamePattern($0) }
        let watchers = try watches.filter { watch in
          try watch.patterns.contains { text in
            let pattern = try NamePattern(text)
            return own.contains { pattern.meets($0) }
          }
        }
        let least = watchers.map { filters[$0.session] ?? 0 }.min() ?? 0
        #expect(try fixture.isWatched(name) == !watchers.isEmpty, "\(name) at step \(step)")
        #expect(
          try fixture.interval(name) == (least == 0 ? nil : .milliseconds(least)), "\(name) at step \(step)")
      }
      try #require(fixture.hub.engine.brokenInvariants() == [])
    }
  }
}
