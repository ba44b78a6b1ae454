// Reads of stores whose provider answers them: who is asked, when, how often, and what readers get whatever fails.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Reads that a provider answers") struct AskingTests {
  private static func get(_ name: String) throws -> Request { .get(.name(try StoreName(name))) }

  /// A live provider that answers reads, and has published `dev.n` as 1.
  private static func fixture(
    window: UInt16 = 1, configure: (inout HubEngine.Options) -> Void = { _ in }
  ) throws -> ClaimFixture {
    var claim = try ClaimFixture(window: window, reads: true, configure: configure)
    #expect(claim.hub.write(claim.provider, .set("dev.n", .integer(1))).errorCode == nil)
    _ = claim.deal()
    return claim
  }

  @Test("the provider is asked first, and the reader gets what it has published by then")
  func fresh() throws {
    var claim = try Self.fixture()
    let request = try claim.send(Self.get("dev.n"))
    let told = claim.deal()
    let read = try #require(told.first?.ask)
    #expect(told.count == 1 && told[0].session == claim.provider.raw)
    #expect(read.name.text == "dev.n" && read.claim == 1 && read.timeLeft == 1000)
    _ = claim.hub.write(claim.provider, .set("dev.n", .integer(2)))
    #expect(claim.deal().isEmpty)
    #expect(
      claim.decide(read.ticket, .accept()) == .decided(counted: true, revision: claim.hub.engine.revision))
    #expect(claim.deal().reply(to: request)?.state?.value == .integer(2))
    // One that leaves it as it is.
    let again = try claim.send(Self.get("dev.n"))
    _ = claim.decide(try #require(claim.deal().first?.ask).ticket, .accept())
    #expect(claim.deal().reply(to: again)?.state?.value == .integer(2))
    claim.checkInvariants()
  }

  @Test("a store that does not exist is asked about by name, not by a number, and its provider may create it")
  func missing() throws {
    var claim = try Self.fixture()
    for creates in [false, true] {
      let request = try claim.send(Self.get("dev.new"))
      let ticket = try #require(claim.deal().first?.ask).ticket
      if creates { _ = claim.hub.write(claim.provider, .set("dev.new", .integer(5))) }
      _ = claim.decide(ticket, .accept())
      let reply = claim.deal().reply(to: request)
      if creates {
        #expect(reply?.state?.value == .integer(5))
      } else {
        #expect(reply?.errorCode == .noSuchStore)
      }
    }
    #expect(claim.hub.ask(claim.writer, .get(.id(StoreID(raw: 77)))).errorCode == .noSuchStore)
  }

  @Test("nobody is asked by the provider's own reads, by other requests, and while the claim is not live")
  func unasked() throws {
    var claim = try Self.fixture()
    #expect(claim.hub.ask(claim.provider, .get("dev.n")).state?.value == .integer(1))
    #expect(claim.hub.ask(claim.writer, .describe("dev.n")).errorCode == nil)
    #expect(claim.hub.ask(claim.writer, .list(try NamePattern("dev.**"))).errorCode == nil)
    #expect(claim.hub.ask(claim.writer, .watch([try NamePattern("dev.n")])).errorCode == nil)
    #expect(claim.hub.ask(claim.writer, .get("elsewhere")).errorCode == .noSuchStore)
    #expect(claim.deal().compactMap(\.ask).isEmpty)
    for standing in [ClaimStanding.syncing, .suspended("away"), .vacant] {
      _ = try claim.standing(standing)
      #expect(claim.hub.ask(claim.writer, .get("dev.n")).state?.value == .integer(1))
    }
    var plain = try ClaimFixture()
    #expect(plain.hub.ask(plain.writer, .get("dev.n")).errorCode == .noSuchStore)
  }

  @Test("reads of one store share a question until it is decided; one that comes then asks anew")
  func shared() throws {
    var claim = try Self.fixture(window: 4)
    let other = claim.hub.connect(5, uid: 7)
    let first = try claim.send(Self.get("dev.n"))
    let waiting = try claim.send(Self.get("dev.n"), from: other)
    let ticket = try #require(claim.deal().first?.ask).ticket
    let joined = try claim.send(Self.get("dev.n"), from: other)
    let elsewhere = try claim.send(Self.get("dev.m"), from: other)
    #expect(claim.deal().compactMap(\.ask).map(\.name.text) == ["dev.m"])
    _ = claim.hub.write(claim.provider, .set("dev.n", .integer(2)))
    _ = claim.decide(ticket, .accept())
    let late = try claim.send(Self.get("dev.n"))
    let told = claim.deal()
    for request in [first, waiting, joined] { #expect(told.reply(to: request)?.state?.value == .integer(2)) }
    #expect(told.reply(to: elsewhere) == nil && told.reply(to: late) == nil)
    #expect(told.compactMap(\.ask).map(\.name.text) == ["dev.n"] && claim.isSound)
  }

  @Test("reads and writes reach the provider in their order, within one window")
  func order() throws {
    var claim = try Self.fixture()
    let write = try claim.set("dev.n", .integer(7))
    let read = try claim.send(Self.get("dev.n"))
    let told = claim.deal()
    #expect(told.compactMap(\.ask).isEmpty)
    _ = claim.decide(try #require(told.compactMap(\.forward).first).ticket, .accept())
    let next = claim.deal()
    #expect(next.reply(to: write)?.result?.changed == true)
    _ = claim.decide(try #require(next.compactMap(\.ask).first).ticket, .accept())
    #expect(claim.deal().reply(to: read)?.state?.value == .integer(7))
  }

  @Test("a refusal reaches all readers with the provider's code and words; a read is no write")
  func refused() throws {
    var claim = try Self.fixture()
    let requests = [try claim.send(Self.get("dev.n")), try claim.send(Self.get("dev.n"))]
    let ticket = try #require(claim.deal().first?.ask).ticket
    for decision in [Decision.taken, .accept(values: [.integer(3)]), .accept(values: [])] {
      #expect(claim.decide(ticket, decision).errorCode == .malformed)
    }
    _ = claim.decide(ticket, .again)
    let again = try #require(claim.deal().first?.ask).ticket
    #expect(again == ticket)
    _ = claim.decide(ticket, .refuse(.unavailable, "the bus is gone"))
    let told = claim.deal()
    for request in requests {
      guard case .error(let error)? = told.reply(to: request) else { throw TestFailure("no answer") }
      #expect(error.code == .unavailable && error.message == "the bus is gone" && error.store == "dev.n")
    }
    #expect(try claim.stored("dev.n") == .integer(1) && claim.isSound)
  }

  @Test("a provider that is slow: readers get what writers get, and three times in a row suspend it")
  func slow() throws {
    var claim = try Self.fixture()
    var ticket: UInt64 = 0
    for count in 1...3 {
      let asked = try claim.send(Self.get("dev.n"))
      let waiting = try claim.send(Self.get("dev.m"))
      ticket = try #require(claim.deal().first?.ask).ticket
      claim.pass(milliseconds: 999)
      let joined = try claim.send(Self.get("dev.n"))
      #expect(claim.deal().isEmpty)
      claim.pass(milliseconds: 1)
      let told = claim.deal()
      #expect(told.reply(to: asked)?.errorCode == .unanswered)
      #expect(told.reply(to: joined)?.errorCode == .unanswered)
      #expect(told.reply(to: waiting)?.errorCode == .unavailable)
      #expect(told.contains { $0.message == .event(.withdraw(ticket: ticket, claim: 1, .timeIsOver)) })
      let isSuspended = claim.isSuspended
      #expect(isSuspended == (count == 3))
    }
    #expect(claim.hub.ask(claim.writer, .get("dev.n")).state?.value == .integer(1))
    #expect(
      claim.decide(ticket, .accept()) == .decided(counted: false, revision: claim.hub.engine.revision))
    _ = claim.deal()
    #expect(!claim.isSuspended && claim.isSound)
  }

  @Test(
    "a provider that ends, is suspended or is replaced: who was asked about is unanswered, who waited is not")
  func ends() throws {
    for end in 0..<3 {
      var claim = try Self.fixture()
      let asked = try claim.send(Self.get("dev.n"))
      let ticket = try #require(claim.deal().first?.ask).ticket
      let waiting = try claim.send(Self.get("dev.m"))
      switch end {
      case 0: claim.hub.close(claim.provider)
      case 1: _ = try claim.standing(.suspended("the bus is gone"))
      default:
        let next = claim.hub.connect(6, uid: 0)
        let offer = try ClaimOffer(StoreName("dev"), [NamePattern("dev.**")], replaces: true)
        #expect(claim.hub.ask(next, .provide(offer)).errorCode == nil)
      }
      let told = claim.deal()
      #expect(told.reply(to: waiting)?.errorCode == .unavailable)
      if end == 1 {
        // It was asked, and may still answer.
        _ = claim.decide(ticket, .accept())
        #expect(claim.deal().reply(to: asked)?.state?.value == .integer(1))
      } else {
        #expect(told.reply(to: asked)?.errorCode == .unanswered)
      }
      claim.checkInvariants()
    }
  }

  @Test("readers that leave: the last one withdraws the question, and costs nothing any more")
  func leaving() throws {
    var claim = try Self.fixture()
    let (other, third) = (claim.hub.connect(5, uid: 7), claim.hub.connect(6, uid: 7))
    _ = try claim.send(Self.get("dev.n"), from: other)
    _ = try claim.send(Self.get("dev.m"), from: other)
    let stays = try claim.send(Self.get("dev.n"), from: third)
    let ticket = try #require(claim.deal().first?.ask).ticket
    claim.hub.close(other)
    #expect(claim.deal().isEmpty && claim.isSound)
    claim.hub.close(third)
    #expect(claim.deal().map(\.message) == [.event(.withdraw(ticket: ticket, claim: 1, .setterLeft))])
    #expect(claim.hub.engine.stores.accounts[7].watchBytes == 0)
    // A question that nobody waits for any more answers nobody new.
    let fresh = try claim.send(Self.get("dev.n"))
    #expect(claim.decide(ticket, .accept()) == .decided(counted: true, revision: claim.hub.engine.revision))
    let told = claim.deal()
    #expect(told.reply(to: fresh) == nil && told.reply(to: stays) == nil)
    #expect(told.compactMap(\.ask).count == 1 && claim.isSound)
  }

  @Test("waiting reads count with the values that they would copy, and the queue has an end")
  func bounds() throws {
    var claim = try Self.fixture { $0.maximumUserMemory = 1 << 20 }
    let long = Value.string(String(repeating: "v", count: 20_000))
    _ = claim.hub.write(claim.provider, .set("dev.long", long))
    _ = claim.deal()
    var frame = OutputBuffer()
    Request.get("dev.long").encode(into: &frame, id: 7)
    var count = 0
    while count < 200, claim.hub.ask(claim.writer, frame.array).reply.errorCode != .quota { count += 1 }
    #expect(count > 40 && count < 53, "\(count) of 20 KB in 1 MB")
    claim.checkInvariants()
    claim.hub.close(claim.writer)
    let root = claim.hub.connect(4, uid: 0)
    _ = try claim.send(Self.get("dev.n"), from: root)
    _ = claim.deal()
    for number in 0..<Claim.mostWaiting { _ = try claim.send(Self.get("dev.n\(number)"), from: root) }
    #expect(claim.hub.ask(root, .get("dev.more")).errorCode == .unavailable)
    // Who asks about what others ask about already is no burden.
    _ = try claim.send(Self.get("dev.n5"), from: root)
    claim.checkInvariants()
  }

  @Test("many readers of a long value are answered in parts, each with its own question")
  func parts() throws {
    var claim = try Self.fixture(window: 1024) { $0.maximumMemory = 1 << 30 }
    let long = Value.string(String(repeating: "v", count: 100_000))
    _ = claim.hub.write(claim.provider, .set("dev.long", long))
    _ = claim.deal()
    for _ in 0..<50 { _ = try claim.send(Self.get("dev.long")) }
    var answers = 0
    var most = 0
    var tickets = claim.deal().compactMap(\.ask)
    while !tickets.isEmpty {
      for read in tickets { _ = claim.decide(read.ticket, .accept()) }
      let told = claim.deal()
      let replies = told.filter { if case .reply = $0.message { true } else { false } }
      (answers, most) = (answers + replies.count, max(most, replies.count))
      tickets = told.compactMap(\.ask)
    }
    #expect(answers == 50 && most <= 22, "\(most) at once")
    claim.checkInvariants()
  }

  @Test(
    "who may not read a store never makes its provider work, and learns nothing; rights count again at the end"
  )
  func rights() throws {
    func rules(_ shown: AccessRights) -> AccessRules {
      accessRules([
        ("dev.secret.**", [AccessGrant(.owner, .all)]), ("dev.**", [AccessGrant(.anyone, shown)]),
      ])
    }
    var claim = try Self.fixture { $0.access = rules(.read) }
    _ = claim.hub.write(claim.provider, .set("dev.secret.a", .integer(1)))
    _ = claim.deal()
    let hidden = claim.hub.ask(claim.writer, try Self.get("dev.secret.a"))
    let missing = claim.hub.ask(claim.writer, try Self.get("dev.secret.b"))
    #expect(hidden.errorCode == .noSuchStore && missing.errorCode == .noSuchStore)
    #expect(claim.deal().isEmpty)
    let request = try claim.send(Self.get("dev.n"))
    let ticket = try #require(claim.deal().first?.ask).ticket
    claim.hub.engine.setAccess(rules([])) { _ in [] }
    _ = claim.decide(ticket, .accept())
    #expect(claim.deal().reply(to: request)?.errorCode == .noSuchStore)
    claim.checkInvariants()
  }

  @Test("a hand-off keeps questions and who waits for them, with their time")
  func handOff() throws {
    var claim = try Self.fixture()
    let asked = [try claim.send(Self.get("dev.n")), try claim.send(Self.get("dev.n"))]
    let ticket = try #require(claim.deal().first?.ask).ticket
    let waiting = try claim.send(Self.get("dev.m"))
    claim.pass(milliseconds: 400)
    for _ in 0..<2 {
      let image = EngineImage.bytes(of: claim.hub.engine)
      claim.hub.engine = try EngineImage.engine(from: image, options: claim.hub.engine.options)
      claim.checkInvariants()
    }
    _ = claim.hub.write(claim.provider, .set("dev.n", .integer(2)))
    _ = claim.decide(ticket, .accept())
    let told = claim.deal()
    for request in asked { #expect(told.reply(to: request)?.state?.value == .integer(2)) }
    #expect(told.compactMap(\.ask).map(\.timeLeft) == [600])
    claim.pass(milliseconds: 600)
    #expect(claim.deal().reply(to: waiting)?.errorCode == .unanswered)
    claim.checkInvariants()
  }
}
