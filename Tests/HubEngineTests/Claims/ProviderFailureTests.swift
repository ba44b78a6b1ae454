// What fails: each row of the failure table of docs/providers.md.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Providers that fail") struct ProviderFailureTests {
  @Test("a provider that goes: what it was asked is not known, what it was not asked was not done")
  func providerEnds() throws {
    var claim = try ClaimFixture()
    let asked = try claim.set("dev.a", .integer(1))
    let waiting = try claim.set("dev.b", .integer(1))
    #expect(claim.forwards().count == 1)
    claim.hub.close(claim.provider)
    let told = claim.deal()
    #expect(told.reply(to: asked)?.errorCode == .unanswered)
    #expect(told.reply(to: waiting)?.errorCode == .unavailable)
    #expect(try claim.state() == "vacant")
    #expect(claim.hub.write(claim.writer, .set("dev.a", .integer(1))).errorCode == .unavailable)
    #expect(try claim.value("dev.a") == nil)
  }

  @Test(
    "a provider that does not answer: not known after its timeout; after three in a row it counts as suspended"
  )
  func providerHangs() throws {
    var claim = try ClaimFixture(window: 4)
    var tickets: [UInt64] = []
    for count in 1...3 {
      let request = try claim.set("dev.n", .integer(Int64(count)))
      tickets.append(try #require(claim.forwards().first).ticket)
      #expect(claim.hub.engine.nextDeadline == claim.hub.now.boot + 1_000_000_000)
      claim.pass(milliseconds: 999)
      #expect(claim.deal().isEmpty)
      claim.pass(milliseconds: 1)
      let told = claim.deal()
      #expect(told.reply(to: request)?.errorCode == .unanswered)
      #expect(
        told.contains { $0.message == .event(.withdraw(ticket: tickets[count - 1], claim: 1, .timeIsOver)) })
      #expect(try claim.state() == (count < 3 ? "live" : "suspended"))
    }
    #expect(claim.hub.write(claim.writer, .set("dev.n", .integer(9))).errorCode == .unavailable)
    // A late decision is the truth, and shows that the provider is there again.
    #expect(
      claim.decide(tickets[2], .accept()) == .decided(counted: false, revision: claim.hub.engine.revision))
    _ = claim.deal()
    #expect(try claim.value("dev.n") == .integer(3))
    #expect(try claim.state() == "live")
  }

  @Test("a write that waits behind others until its time is over was not done")
  func busy() throws {
    var claim = try ClaimFixture()
    let first = try claim.set("dev.a", .integer(1))
    let second = try claim.set("dev.b", .integer(1))
    _ = claim.forwards()
    claim.pass(milliseconds: 1000)
    let told = claim.deal()
    #expect(told.reply(to: first)?.errorCode == .unanswered)
    #expect(told.reply(to: second)?.errorCode == .unavailable)
  }

  @Test("a provider whose source is away says why, and its setters are told")
  func suspended() throws {
    var claim = try ClaimFixture()
    let asked = try claim.set("dev.a", .integer(1))
    let waiting = try claim.set("dev.b", .integer(1))
    let ticket = try #require(claim.forwards().first).ticket
    _ = try claim.standing(.suspended("the bus is gone"))
    var told = claim.deal()
    guard case .error(let error)? = told.reply(to: waiting) else { throw TestFailure("no answer") }
    #expect(error.code == .unavailable && error.message.contains("the bus is gone"))
    #expect(told.reply(to: asked) == nil)
    _ = claim.decide(ticket, .accept())
    told = claim.deal()
    #expect(told.reply(to: asked)?.result?.changed == true)
    #expect(try claim.state() == "suspended")
    _ = try claim.standing(.live)
    _ = try claim.set("dev.b", .integer(1))
    #expect(claim.forwards().count == 1)
  }

  @Test(
    "a setter that goes: what was not forwarded is dropped, what was forwarded is withdrawn, and a decision still counts"
  )
  func setterEnds() throws {
    var claim = try ClaimFixture()
    _ = try claim.set("dev.a", .integer(1))
    _ = try claim.set("dev.b", .integer(1))
    let ticket = try #require(claim.forwards().first).ticket
    claim.hub.close(claim.writer)
    #expect(claim.deal().map(\.message) == [.event(.withdraw(ticket: ticket, claim: 1, .setterLeft))])
    #expect(claim.decide(ticket, .accept()).errorCode == nil)
    #expect(claim.deal().isEmpty)
    let other = claim.hub.connect(4, uid: 7)
    let state = claim.hub.ask(other, .get("dev.a")).state
    #expect(state?.value == .integer(1) && state?.uid == 1000)
    #expect(claim.hub.ask(other, .get("dev.b")).errorCode == .noSuchStore)
  }

  @Test("a claim that is vacant is its user's: nobody else gets it, its user comes back, or releases it")
  func comingBack() throws {
    var claim = try ClaimFixture(live: false, uid: 1000)
    claim.hub.engine.claims.declaredProviders[try StoreName("dev")] = [1000, 7]
    let offer = try ClaimOffer(StoreName("dev"), [NamePattern("dev.**")])
    #expect(claim.hub.ask(claim.provider, .provide(offer)).errorCode == nil)
    claim.hub.close(claim.provider)
    _ = claim.deal()
    let stranger = claim.hub.connect(5, uid: 7)
    #expect(claim.hub.ask(stranger, .provide(offer)).errorCode == .claimed)
    #expect(claim.hub.ask(stranger, .standing(try StoreName("dev"), .released)).errorCode == .denied)
    let again = claim.hub.connect(6, uid: 1000)
    guard case .providing(let number, _) = claim.hub.ask(again, .provide(offer)) else {
      throw TestFailure("refused")
    }
    #expect(number == 2)
    #expect(try claim.state() == "syncing")
    #expect(claim.hub.ask(again, .standing(try StoreName("dev"), .released)).errorCode == nil)
    #expect(try claim.state() == nil)
    #expect(claim.hub.write(claim.writer, .set("dev.a", .integer(1))).result?.changed == true)
  }

  @Test(
    "two providers: the second is refused, whichever pattern they share, or waits for its turn, or replaces its own"
  )
  func twoProviders() throws {
    var claim = try ClaimFixture()
    let second = claim.hub.connect(5, uid: 0)
    for pattern in ["dev.x", "**", "*.x", "dev.**", "**.x"] {
      let offer = try ClaimOffer(StoreName("other"), [NamePattern("free"), NamePattern(pattern)])
      #expect(claim.hub.ask(second, .provide(offer)).errorCode == .claimed, "\(pattern)")
    }
    var offer = try ClaimOffer(StoreName("dev"), [NamePattern("dev.**")])
    #expect(claim.hub.ask(second, .provide(offer)).errorCode == .claimed)
    offer.waits = true
    let waiting = try claim.send(.provide(offer), from: second)
    #expect(claim.deal().isEmpty)
    let asked = try claim.set("dev.a", .integer(1))
    _ = claim.forwards()
    claim.hub.close(claim.provider)
    let told = claim.deal()
    #expect(told.reply(to: asked)?.errorCode == .unanswered)
    #expect(told.reply(to: waiting) != nil && told.reply(to: waiting)?.errorCode == nil)
    #expect(try claim.state() == "syncing")
    let third = claim.hub.connect(6, uid: 0)
    (offer.waits, offer.replaces) = (false, true)
    #expect(claim.hub.ask(third, .provide(offer)).errorCode == nil)
    #expect(
      claim.deal().contains {
        $0.session == second.raw && $0.message == .event(.withdraw(ticket: 0, claim: 2, .claimEnded))
      })
  }

  @Test("only who may provide can claim, and nobody what is the hub's own")
  func rights() throws {
    var claim = try ClaimFixture(live: false)
    let free = try ClaimOffer(StoreName("x"), [NamePattern("x.**")])
    #expect(claim.hub.ask(claim.writer, .provide(free)).errorCode == .denied)
    let own = try ClaimOffer(StoreName("x"), [NamePattern("statehub.**")])
    #expect(claim.hub.ask(claim.provider, .provide(own)).errorCode == .reserved)
    for (timeout, window) in [(0, 1), (600_001, 1), (1, 0), (1, 1025)] as [(UInt32, UInt16)] {
      let offer = try ClaimOffer(StoreName("x"), [NamePattern("x")], timeout: timeout, window: window)
      #expect(claim.hub.ask(claim.provider, .provide(offer)).errorCode == .outOfRange)
    }
    #expect(
      claim.hub.ask(claim.provider, .provide(try ClaimOffer(StoreName("x"), []))).errorCode == .malformed)
    #expect(claim.hub.ask(claim.provider, .standing(try StoreName("x"), .live)).errorCode == .noSuchStore)
  }

  @Test("a watcher sees the state before what was published in it, and after what was published before")
  func order() throws {
    var claim = try ClaimFixture(live: false)
    let watcher = claim.hub.connect(7, uid: 5)
    _ = claim.hub.ask(
      watcher, .watch([try NamePattern("dev.**"), try NamePattern("statehub.providers.*")], policy: .every))
    _ = claim.hub.turn()
    let offer = try ClaimOffer(StoreName("dev"), [NamePattern("dev.**")])
    _ = claim.hub.ask(claim.provider, .provide(offer))
    _ = claim.hub.write(claim.provider, .set("dev.a", .integer(1)))
    _ = try claim.standing(.live)
    _ = claim.hub.write(claim.provider, .set("dev.a", .integer(2)))
    claim.hub.engine.deal(now: claim.hub.now)
    while claim.hub.engine.nextMessage() != nil {}
    let events = claim.hub.turn()[watcher.raw] ?? []
    let seen: [Value] = events.compactMap {
      switch $0 {
      case .created(_, _, let state, _, _, _), .change(let state, _, _): state.value
      default: nil
      }
    }
    let states = seen.map {
      if case .json(let text) = $0 { text.contains("live") ? "live" : "syncing" } else { "\($0)" }
    }
    // The last one reports that the claim is watched.
    #expect(states == ["syncing", "1", "live", "2", "live"])
  }

  @Test("a value whose time is up is ended by its provider, also if that was away")
  func lifetimes() throws {
    var claim = try ClaimFixture(lifetimes: true)
    let request = try claim.set("dev.lease", .integer(1), lifetime: Lifetime(ttl: 500, ephemeral: true))
    let forward = try #require(claim.forwards().first)
    #expect(forward.operations.first?.ttl == 500 && forward.operations.first?.isEphemeral == true)
    _ = claim.decide(forward.ticket, .accept())
    #expect(claim.deal().reply(to: request)?.result?.changed == true)
    _ = try claim.standing(.suspended("away"))
    claim.pass(milliseconds: 500)
    claim.hub.expire()
    #expect(claim.forwards().isEmpty)
    #expect(try claim.value("dev.lease") == .integer(1))
    _ = try claim.standing(.live)
    let end = try #require(claim.forwards().first)
    #expect(end.isEnd && end.operations.first?.kind == .remove && end.writer.uid == 0)
    _ = claim.decide(end.ticket, .accept())
    _ = claim.deal()
    #expect(try claim.value("dev.lease") == nil)
  }

  @Test(
    "the end of a value that its provider puts off, and leaves behind in the same turn, waits for the next")
  func endLeftBehind() throws {
    var claim = try ClaimFixture(lifetimes: true)
    _ = try claim.set("dev.lease", .integer(1), lifetime: Lifetime(ttl: 500))
    _ = claim.decide(try #require(claim.forwards().first).ticket, .accept())
    _ = claim.deal()
    claim.pass(milliseconds: 500)
    claim.hub.expire()
    _ = claim.decide(try #require(claim.forwards().first).ticket, .again)
    claim.hub.close(claim.provider)
    _ = claim.deal()
    #expect(try claim.value("dev.lease") == .integer(1))
    let next = claim.hub.connect(9, uid: 0, name: "next")
    let offer = try ClaimOffer(StoreName("dev"), [NamePattern("dev.**")], takesLifetimes: true)
    _ = claim.hub.ask(next, .provide(offer))
    _ = claim.hub.ask(next, .standing(offer.name, .live))
    #expect(try #require(claim.forwards().first).isEnd)
  }
}
