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
    mutating func watch(_ patterns: [String], _ session: SessionID) throws -> UInt32 {
      request += 1
      var frame = OutputBuffer()
      Request.watch(try patterns.map { try NamePattern($0) }).encode(into: &frame, id: request)
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

    /// Whether the claim's state says that it has watchers.
    func isWatched(_ claim: String = "dev") throws -> Bool {
      guard let slot = hub.engine.stores.find(ClaimStatus.prefix + claim) else {
        throw TestFailure("no claim")
      }
      return ClaimStatus.isWatched(hub.engine.stores.value(of: slot).value)
    }

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

  @Test(
    "claims and watches that come and go in any order agree with a comparison of all with all",
    arguments: 0..<6 as Range<UInt64>)
  func histories(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var fixture = try Fixture()
    let sessions = (4..<8).map { fixture.hub.connect($0) }
    var claims: [String: [String]] = ["dev": ["dev.**"]]
    var watches: [(id: UInt32, session: SessionID, patterns: [String])] = []
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
        watches.append((try fixture.watch(patterns, session), session, patterns))
      default:
        guard !watches.isEmpty else { continue }
        let watch = watches.remove(at: Int.random(in: watches.indices, using: &random))
        fixture.unwatch(watch.id, watch.session)
      }
      let used = try watches.flatMap(\.patterns).map { try NamePattern($0) }
      for (name, own) in claims {
        let expected = try own.contains { own in
          let own = try NamePattern(own)
          return used.contains { $0.meets(own) }
        }
        #expect(try fixture.isWatched(name) == expected, "\(name) at step \(step)")
      }
      try #require(fixture.hub.engine.brokenInvariants() == [])
    }
  }
}
