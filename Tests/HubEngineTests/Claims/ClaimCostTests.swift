// What providers and those who write to them make the hub keep and do: counted, given back, and bounded in each turn.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("What providers cost") struct ClaimCostTests {
  /// Beyond it a turn does no more for providers, but for what it has begun.
  private static let turn = 600_000

  private static func bytes(_ claim: borrowing ClaimFixture) -> Int {
    claim.hub.engine.stores.accounts[1000].watchBytes
  }

  /// A provider whose store `dev.long` returns to a value of 20 KB.
  private static func long(_ configure: (inout HubEngine.Options) -> Void = { _ in }) throws -> ClaimFixture {
    var claim = try ClaimFixture(configure: configure)
    let schema = Schema(type: .string, initial: .string(String(repeating: "v", count: 20_000)))
    _ = claim.hub.ask(claim.provider, .write(.create(try StoreName("dev.long"), schema)))
    _ = claim.deal()
    return claim
  }

  @Test("a write that waits counts with the values that it would set, not with the bytes that it was")
  func values() throws {
    var claim = try Self.long { $0.maximumUserMemory = 1 << 20 }
    var frame = OutputBuffer()
    Request.write(.reset("dev.long")).encode(into: &frame, id: 7)
    var count = 0
    while count < 200, claim.hub.ask(claim.writer, frame.array).reply.errorCode != .quota { count += 1 }
    #expect(count > 40 && count < 53, "\(count) of 20 KB in 1 MB")
    #expect(claim.hub.engine.stores.accounts[1000].bytes <= 1 << 20)
    _ = claim.hub.engine.close(claim.writer, in: claim.hub.engine.openTurn(), now: claim.hub.now)
    _ = claim.deal()
    #expect(Self.bytes(claim) == 0)
  }

  @Test(
    "what writes took is given back when they are decided, when their setter leaves, and when their provider does"
  )
  func refunds() throws {
    for end in 0..<4 {
      var claim = try Self.long()
      for _ in 0..<5 { _ = try claim.send(.write(.reset("dev.long"))) }
      #expect(Self.bytes(claim) > 5 * 20_000)
      let forward = try #require(claim.forwards().first)
      switch end {
      case 0:
        _ = claim.decide(forward.ticket, .refuse(.refused, "no"))
        for _ in 0..<4 { _ = claim.decide(try #require(claim.forwards().first).ticket, .accept()) }
        _ = claim.deal()
      case 1:
        claim.hub.close(claim.writer)
        _ = claim.decide(forward.ticket, .taken)
        _ = claim.deal()
      case 2:
        claim.hub.close(claim.provider)
        _ = claim.deal()
      default:
        // Nobody waits any more, but what the provider accepts late is kept until it does.
        claim.pass(milliseconds: 1001)
        _ = claim.deal()
        #expect(Self.bytes(claim) > 20_000 && Self.bytes(claim) < 22_000)
        _ = claim.decide(forward.ticket, .accept())
        _ = claim.deal()
      }
      #expect(Self.bytes(claim) == 0, "\(end)")
    }
  }

  @Test("a write whose setter has left, and that its provider wants again, counts no more")
  func again() throws {
    var claim = try Self.long()
    _ = try claim.send(.write(.reset("dev.long")))
    let forward = try #require(claim.forwards().first)
    claim.hub.close(claim.writer)
    _ = claim.decide(forward.ticket, .again)
    for _ in 0..<3 { _ = claim.deal() }
    #expect(Self.bytes(claim) == 0)
    #expect(claim.hub.engine.brokenInvariants() == [])
  }

  @Test("writes to many claims are forwarded in turns of bounded cost, some of each claim")
  func turns() throws {
    var claim = try ClaimFixture(live: false)
    for number in 0..<40 {
      let name = try StoreName("dev\(number)")
      let offer = ClaimOffer(name, [try NamePattern("dev\(number).*")], timeout: 1000, window: 1024)
      _ = claim.hub.ask(claim.provider, .provide(offer))
      _ = claim.hub.ask(claim.provider, .standing(name, .live))
    }
    _ = claim.deal()
    let long = Value.data([UInt8](repeating: 7, count: 4000))
    for number in 0..<40 {
      for _ in 0..<30 { _ = try claim.set("dev\(number).x", long) }
    }
    var (turns, first, all) = (0, Set<UInt32>(), 0)
    repeat {
      let before = claim.hub.engine.work
      claim.hub.engine.deal(now: claim.hub.now)
      #expect(claim.hub.engine.work - before < Self.turn)
      while let message = claim.hub.engine.nextMessage() {
        guard case .event(.forward(let write))? = try? Message(decoding: FrameView(bytes: message.bytes))
        else {
          continue
        }
        all += 1
        if turns < 40 { first.insert(write.claim) }
      }
      _ = claim.hub.turn()
      turns += 1
    } while claim.hub.engine.claims.mayForward && turns < 1000
    #expect(all == 1200 && turns > 1 && first.count == 40, "\(all) in \(turns) turns")
  }

  /// A provider of `dev0.*`, `dev1.*` and so on, with writes that wait for each.
  private static func crowd(
    _ claims: Int, writes: Int, stepWork: Int = .max
  ) throws -> ClaimFixture {
    var claim = try ClaimFixture(live: false) { $0.stepWork = stepWork }
    for number in 0..<claims {
      let name = try StoreName("dev\(number)")
      let offer = ClaimOffer(name, [try NamePattern("dev\(number).*")], timeout: 1000, window: 10)
      _ = claim.hub.ask(claim.provider, .provide(offer))
      _ = claim.hub.ask(claim.provider, .standing(name, .live))
    }
    _ = claim.deal()
    for number in 0..<claims {
      for _ in 0..<writes { _ = try claim.set("dev\(number).x", .integer(1)) }
    }
    return claim
  }

  /// Ends turns until there is nothing more to do.
  ///
  /// - Returns: how many of the writes were answered, and in how many turns.
  private static func settle(_ claim: inout ClaimFixture) -> (answers: Int, turns: Int) {
    var (answers, turns) = (0, 0)
    repeat {
      let before = claim.hub.engine.work
      answers += claim.deal().count { $0.session == claim.writer.raw }
      #expect(claim.hub.engine.work - before < Self.turn)
      turns += 1
    } while (claim.hub.engine.hasWork || claim.hub.engine.nextDeadline ?? .max <= claim.hub.now.boot)
      && turns < 1000
    return (answers, turns)
  }

  @Test("writes whose time is over are answered in turns of bounded cost")
  func deadlines() throws {
    var claim = try Self.crowd(60, writes: 60)
    _ = claim.deal()
    claim.pass(milliseconds: 1001)
    let (answers, turns) = Self.settle(&claim)
    #expect(answers == 3600 && turns > 1, "\(answers) in \(turns) turns")
    #expect(claim.hub.engine.nextDeadline == nil)
  }

  @Test("a provider that goes leaves its claims in steps, and each write that waits is answered once")
  func leaving() throws {
    var claim = try Self.crowd(60, writes: 20, stepWork: 20_000)
    _ = claim.deal()
    var (steps, answers) = (0, 0)
    while true {
      let before = claim.hub.engine.work
      let isClosed = claim.hub.engine.close(
        claim.provider, in: claim.hub.engine.openTurn(), now: claim.hub.now)
      #expect(claim.hub.engine.work - before < 60_000)
      steps += 1
      answers += claim.deal().count { $0.session == claim.writer.raw }
      if isClosed { break }
    }
    #expect(steps > 3 && answers == 1200, "\(answers) in \(steps) steps")
    #expect(Self.bytes(claim) == 0 && claim.hub.engine.claims.leaving.isEmpty)
    #expect(claim.hub.engine.brokenInvariants() == [])
  }

  @Test(
    "values whose time is up while their provider is away count to who set them, and end in turns of bounded cost when the claim does"
  )
  func orphans() throws {
    var claim = try ClaimFixture(lifetimes: true)
    let count = 600
    for number in 0..<count {
      let name = StoreReference.name(try StoreName("dev.n\(number)"))
      _ = claim.hub.ask(claim.provider, .write(.set(name, .integer(1), lifetime: Lifetime(ttl: 10))))
    }
    _ = claim.deal()
    claim.hub.close(claim.provider)
    _ = claim.deal()
    claim.pass(milliseconds: 11)
    while claim.hub.engine.hasEnded(by: claim.hub.now.boot) {
      claim.hub.expire()
      _ = claim.deal()
    }
    #expect(claim.hub.engine.storeCount == count + 1)
    #expect(claim.hub.engine.stores.accounts[0].watchBytes > 512 * count)
    let root = claim.hub.connect(9, uid: 0)
    #expect(claim.hub.ask(root, .standing(try StoreName("dev"), .released)) != .unwatched)
    let (_, turns) = Self.settle(&claim)
    #expect(turns > 3 && claim.hub.engine.storeCount == 0, "\(claim.hub.engine.storeCount) in \(turns)")
    #expect(claim.hub.engine.stores.accounts[0].watchBytes == 0)
    #expect(claim.hub.engine.brokenInvariants() == [])
  }

  @Test("the right to provide deep patterns costs the comparison with the rules")
  func rights() throws {
    var hub = EngineFixture {
      $0.uid = 0
      $0.access = accessRules([("**", [AccessGrant(.anyone, .all)])])
    }
    let session = hub.connect(uid: 1000)
    func cost(_ pattern: String) throws -> Int {
      let before = hub.engine.work
      _ = hub.ask(session, .provide(ClaimOffer(try StoreName("c"), [try NamePattern(pattern)])))
      return hub.engine.work - before
    }
    let plain = try cost("a.b")
    #expect(try cost(Array(repeating: "**.a", count: 16).joined(separator: ".")) > 10 * plain)
  }

  /// Patterns that no name matches together with those of another number, found out only at the last component.
  private static func deep(_ number: Int) throws -> [NamePattern] {
    try (0..<16).map { index in
      let parts = (0..<8).map { (number * 16 + index) >> $0 & 1 == 0 ? "*" : "**.a" }
      return try NamePattern(
        (parts + Array(repeating: "*", count: 8) + ["n\(number)x\(index)"]).joined(separator: "."))
    }
  }

  @Test("a claim costs its comparisons with the patterns of all others")
  func comparisons() throws {
    var hub = EngineFixture { $0.uid = 0 }
    let session = hub.connect(uid: 0)
    var costs: [Int] = []
    for number in 0..<20 {
      let before = hub.engine.work
      let offer = ClaimOffer(try StoreName("c\(number)"), try Self.deep(number))
      guard case .providing = hub.ask(session, .provide(offer)) else { throw TestFailure("refused") }
      costs.append(hub.engine.work - before)
    }
    #expect(costs[19] - costs[1] > 18 * 16 * 16 * 16 * 16, "\(costs)")
  }

  @Test(
    "of two claims' patterns the short comparison says what the long one says",
    arguments: 0..<4 as Range<UInt64>)
  func meeting(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func pattern() throws -> NamePattern {
      let parts = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        ["a", "b", "*", "**"].randomElement(using: &random)!
      }
      return try NamePattern(parts.joined(separator: "."))
    }
    for _ in 0..<3000 {
      let (one, other) = (try pattern(), try pattern())
      #expect(PatternKeys(one).meets(PatternKeys(other)) == one.meets(other), "\(one) \(other)")
    }
  }

  @Test(
    "those who wait for a claim cost nothing until one is free, and then have their chance in turns of bounded cost"
  )
  func waiting() throws {
    var hub = EngineFixture { $0.uid = 0 }
    let (owner, other) = (hub.connect(3, uid: 0), hub.connect(4, uid: 0))
    for number in 0..<20 {
      _ = hub.ask(owner, .provide(ClaimOffer(try StoreName("c\(number)"), try Self.deep(number))))
    }
    for number in 0..<80 {
      var offer = ClaimOffer(try StoreName("w\(number)"), try Self.deep(number % 20))
      offer.waits = true
      var frame = OutputBuffer()
      Request.provide(offer).encode(into: &frame, id: UInt32(number + 10))
      _ = hub.ask(other, frame.array)
    }
    #expect(hub.engine.claims.queue.count == 80)
    func deal(_ hub: inout EngineFixture) -> (cost: Int, granted: [UInt32]) {
      let before = hub.engine.work
      hub.engine.deal(now: hub.now)
      let cost = hub.engine.work - before
      var granted: [UInt32] = []
      while let message = hub.engine.nextMessage() {
        if case .reply(.providing, let id)? = try? Message(decoding: FrameView(bytes: message.bytes)) {
          granted.append(id)
        }
      }
      _ = hub.turn()
      return (cost, granted)
    }
    _ = deal(&hub)
    #expect(deal(&hub).cost == 0)
    _ = hub.ask(owner, .standing(try StoreName("c7"), .released))
    var (granted, turns) = ([UInt32](), 0)
    repeat {
      let (cost, some) = deal(&hub)
      // One comparison with all others is not interrupted.
      #expect(cost < Self.turn + 2_000_000)
      granted += some
      turns += 1
    } while hub.engine.hasWork && turns < 1000
    #expect(granted == [17] && turns > 1, "\(granted) in \(turns) turns")
    #expect(deal(&hub).cost == 0 && hub.engine.claims.queue.count == 79)
  }

  @Test("the tree of claimed names follows claims that come and go in any order")
  func tree() throws {
    var random = SeededGenerator(seed: 5)
    var hub = EngineFixture { $0.uid = 0 }
    let session = hub.connect(uid: 0)
    var present: Set<Int> = []
    for _ in 0..<300 {
      let number = Int.random(in: 0..<12, using: &random)
      let name = try StoreName("c\(number)")
      if present.remove(number) != nil {
        _ = hub.ask(session, .standing(name, .released))
      } else {
        present.insert(number)
        let patterns = try ["c\(number).*", "*.*.d\(number).**", "c\(number).*"].map { try NamePattern($0) }
        guard case .providing = hub.ask(session, .provide(ClaimOffer(name, patterns))) else {
          throw TestFailure("refused")
        }
      }
      for number in 0..<12 {
        for text in ["c\(number).x", "y.y.d\(number)", "y.y.d\(number).z.z"] {
          var work = 0
          let place = Array(text.utf8).withByteView { hub.engine.claims.place(of: $0, &work) }
          let found = place.map { hub.engine.claims.all[$0].offer.name.text }
          #expect(found == (present.contains(number) ? "c\(number)" : nil))
          #expect(work > 0)
        }
      }
      #expect(hub.engine.claims.patternCount == 2 * present.count)
    }
  }
}
