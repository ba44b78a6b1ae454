// Writes to provided stores: forwarded, decided, answered once; and what each failure means to whom.

import TestSupport
import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Providers") struct ForwardTests {
  @Test(
    "a write comes into force when the provider accepts it, in its setter's name, and only then it is answered"
  )
  func accepted() throws {
    var claim = try ClaimFixture()
    let request = try claim.set("dev.level", .integer(7))
    let forward = try #require(claim.forwards().first)
    #expect(forward.writer.uid == 1000 && forward.client == "writer" && forward.timeLeft == 1000)
    let operation = try #require(forward.operations.first)
    #expect(operation.kind == .set && operation.name.text == "dev.level" && operation.value == .integer(7))
    #expect(operation.version == 0 && forward.operations.count == 1 && !forward.isEnd)
    #expect(try claim.value("dev.level") == nil)
    let revision = claim.hub.engine.revision
    #expect(claim.decide(forward.ticket, .accept()) == .decided(counted: true, revision: revision + 1))
    let result = try #require(claim.deal().reply(to: request)?.result)
    #expect(result.changed && result.revision == revision + 1 && result.durability == .volatile)
    let state = claim.hub.ask(claim.writer, .get("dev.level")).state
    #expect(state?.value == .integer(7) && state?.uid == 1000)
    #expect(claim.deal().isEmpty)
  }

  @Test("the provider can accept another value, and the setter learns it")
  func otherValue() throws {
    var claim = try ClaimFixture()
    let request = try claim.set("dev.level", .integer(100))
    let ticket = try #require(claim.forwards().first).ticket
    _ = claim.decide(ticket, .accept(values: [.integer(97)]))
    #expect(claim.deal().reply(to: request)?.result?.value == .integer(97))
    #expect(try claim.value("dev.level") == .integer(97))
  }

  @Test("what the provider refuses is refused with its words, and nothing changes")
  func refused() throws {
    var claim = try ClaimFixture()
    let request = try claim.set("dev.level", .integer(7))
    let ticket = try #require(claim.forwards().first).ticket
    _ = claim.decide(ticket, .refuse(.refused, "the lid is closed"))
    guard case .error(let error)? = claim.deal().reply(to: request) else { throw TestFailure("accepted") }
    #expect(error.code == .refused && error.message == "the lid is closed" && error.store == "dev.level")
    #expect(try claim.value("dev.level") == nil)
  }

  @Test("what is taken on is answered as such, and changes when the provider publishes it")
  func taken() throws {
    var claim = try ClaimFixture()
    let request = try claim.set("dev.window", .integer(100))
    _ = claim.decide(try #require(claim.forwards().first).ticket, .taken)
    let result = try #require(claim.deal().reply(to: request)?.result)
    #expect(result.isTaken && !result.changed)
    #expect(try claim.value("dev.window") == nil)
  }

  @Test("the provider's own writes are its publications: they are carried out at once")
  func publishing() throws {
    var claim = try ClaimFixture()
    #expect(claim.hub.write(claim.provider, .set("dev.level", .integer(1))).result?.changed == true)
    #expect(claim.hub.ask(claim.provider, .transaction([.toggle("dev.level")])).errorCode == .typeMismatch)
    #expect(claim.forwards().isEmpty)
  }

  @Test("add, toggle and reset are forwarded with the value that they would have")
  func computed() throws {
    var claim = try ClaimFixture()
    _ = claim.hub.ask(
      claim.provider, .write(.create(try StoreName("dev.n"), Schema(type: .integer, initial: .integer(3)))))
    _ = claim.hub.write(claim.provider, .set("dev.on", .boolean(false)))
    _ = claim.hub.write(claim.provider, .add("dev.n", .integer(1)))
    for (operation, value) in [
      (WriteOperation.add("dev.n", .integer(5)), Value.integer(9)), (.toggle("dev.on"), .boolean(true)),
      (.reset("dev.n"), .integer(3)),
    ] {
      let request = try claim.send(.write(operation))
      let forward = try #require(claim.forwards().first)
      #expect(forward.operations.first?.kind == operation.kind)
      #expect(forward.operations.first?.value == value)
      _ = claim.decide(forward.ticket, .accept())
      #expect(claim.deal().reply(to: request)?.result?.value == value)
    }
  }

  @Test("what the hub itself must refuse never reaches the provider")
  func judged() throws {
    var claim = try ClaimFixture()
    _ = claim.hub.ask(
      claim.provider,
      .write(
        .create(try StoreName("dev.n"), Schema(type: .integer, minimum: .integer(0), maximum: .integer(9)))))
    let (writer, stale) = (claim.writer, WriteCondition(revision: 1))
    #expect(claim.hub.write(writer, .set("dev.n", .integer(10))).errorCode == .outOfRange)
    #expect(claim.hub.write(writer, .set("dev.n", .string("x"))).errorCode == .typeMismatch)
    #expect(claim.hub.write(writer, .set("dev.n", .integer(1), condition: stale)).errorCode == .conflict)
    #expect(claim.hub.write(writer, .toggle("dev.absent")).errorCode == .noSuchStore)
    #expect(
      claim.hub.write(writer, .set("dev.n", .integer(1), lifetime: Lifetime(ttl: 5))).errorCode
        == .notSupported)
    #expect(claim.forwards().isEmpty)
    #expect(try claim.value("dev.n") == .integer(0))
  }

  @Test("writes reach the provider in their order, as many as its window has room for")
  func window() throws {
    var claim = try ClaimFixture(window: 2)
    let requests = try (0..<5).map { try claim.set("dev.n\($0)", .integer(Int64($0))) }
    var seen: [String] = []
    var waiting = claim.forwards()
    #expect(waiting.count == 2)
    while let next = waiting.first {
      seen.append(try #require(next.operations.first).name.text)
      _ = claim.decide(next.ticket, .accept())
      let told = claim.deal()
      #expect(told.contains { $0.reply(to: requests[seen.count - 1])?.result?.changed == true })
      waiting = waiting.dropFirst() + told.compactMap(\.forward)
      #expect(waiting.count <= 2)
    }
    #expect(seen == (0..<5).map { "dev.n\($0)" })
  }

  @Test("a waiting write is judged anew when the provider has published something meanwhile")
  func judgedAnew() throws {
    var claim = try ClaimFixture()
    _ = claim.hub.write(claim.provider, .set("dev.n", .integer(1)))
    let first = try claim.set("dev.other", .integer(0))
    let second = try claim.send(.write(.add("dev.n", .integer(10))))
    let third = try claim.send(
      .write(.set("dev.n", .integer(5), condition: WriteCondition(value: .integer(1)))))
    let forward = try #require(claim.forwards().first)
    _ = claim.hub.write(claim.provider, .set("dev.n", .integer(2)))
    _ = claim.decide(forward.ticket, .accept())
    var told = claim.deal()
    #expect(told.reply(to: first)?.result != nil)
    let add = try #require(told.compactMap(\.forward).first)
    #expect(add.operations.first?.value == .integer(12))
    _ = claim.decide(add.ticket, .accept())
    told = claim.deal()
    #expect(told.reply(to: second)?.result?.value == .integer(12))
    #expect(told.reply(to: third)?.errorCode == .conflict)
  }

  @Test("`again` makes the hub judge a write anew: it is forwarded again, or its condition fails")
  func again() throws {
    var claim = try ClaimFixture(window: 2)
    _ = claim.hub.write(claim.provider, .set("dev.n", .integer(1)))
    let add = try claim.send(.write(.add("dev.n", .integer(10))))
    let set = try claim.send(
      .write(.set("dev.n", .integer(5), condition: WriteCondition(value: .integer(1)))))
    let forwards = claim.forwards()
    #expect(forwards.count == 2)
    _ = claim.hub.write(claim.provider, .set("dev.n", .integer(2)))
    for forward in forwards { _ = claim.decide(forward.ticket, .again) }
    let told = claim.deal()
    #expect(told.reply(to: set)?.errorCode == .conflict)
    let next = try #require(told.compactMap(\.forward).first)
    #expect(next.operations.first?.value == .integer(12))
    _ = claim.decide(next.ticket, .accept())
    #expect(claim.deal().reply(to: add)?.result?.value == .integer(12))
  }

  @Test("a transaction within one claim is one ticket: all of it, or nothing")
  func transactions() throws {
    var claim = try ClaimFixture()
    let request = try claim.send(
      .transaction([.set("dev.a", .integer(1)), .set("dev.b", .integer(2)), .add("dev.a", .integer(5))]))
    let forward = try #require(claim.forwards().first)
    #expect(forward.operations.map(\.value) == [.integer(1), .integer(2), .integer(6)])
    _ = claim.decide(forward.ticket, .accept())
    guard case .committed(let revision, let results)? = claim.deal().reply(to: request) else {
      throw TestFailure("not committed")
    }
    #expect(results.count == 3 && revision == claim.hub.engine.revision)
    #expect(try claim.value("dev.a") == .integer(6))
    let mixed: [WriteOperation] = [.set("dev.a", .integer(1)), .set("plain", .integer(1))]
    guard case .error(let error) = claim.hub.ask(claim.writer, .transaction(mixed)) else {
      throw TestFailure("accepted")
    }
    #expect(error.code == .notSupported && error.operation == 1)
    #expect(try claim.value("plain") == nil)
  }

  @Test("what is removed and created is asked for, too")
  func removing() throws {
    var claim = try ClaimFixture()
    _ = claim.hub.write(claim.provider, .set("dev.n", .integer(1)))
    let removal = try claim.send(.write(.remove("dev.n")))
    let forward = try #require(claim.forwards().first)
    #expect(forward.operations.first?.kind == .remove && forward.operations.first?.value == nil)
    _ = claim.decide(forward.ticket, .accept())
    #expect(claim.deal().reply(to: removal)?.result?.changed == true)
    #expect(try claim.value("dev.n") == nil)
    let creation = try claim.send(.write(.create(try StoreName("dev.m"), Schema(type: .boolean))))
    let next = try #require(claim.forwards().first)
    #expect(
      next.operations.first?.schema?.type == .boolean && next.operations.first?.value == .boolean(false))
    _ = claim.decide(next.ticket, .accept())
    #expect(claim.deal().reply(to: creation)?.result?.changed == true)
    #expect(try claim.value("dev.m") == .boolean(false))
  }

  @Test("a provider's decision that the store does not take is refused to both")
  func wrongDecision() throws {
    var claim = try ClaimFixture()
    _ = claim.hub.write(claim.provider, .set("dev.n", .integer(1)))
    let request = try claim.set("dev.n", .integer(2))
    let ticket = try #require(claim.forwards().first).ticket
    // One value too many: the decision does not count, and can be made again.
    #expect(claim.decide(ticket, .accept(values: [.integer(1), .integer(2)])).errorCode == .malformed)
    #expect(claim.decide(ticket, .accept(values: [.string("x")])).errorCode == .typeMismatch)
    #expect(claim.deal().reply(to: request)?.errorCode == .refused)
    #expect(claim.decide(99, .accept()).errorCode == .malformed)
  }

  @Test("stores outside of every claim are written as ever")
  func others() throws {
    var claim = try ClaimFixture()
    #expect(claim.hub.write(claim.writer, .set("audio", .integer(1))).result?.changed == true)
    #expect(claim.hub.write(claim.writer, .set("statehub.providers.dev", .json("{}"))).errorCode == .reserved)
    #expect(claim.hub.write(claim.writer, .remove("statehub.providers.dev")).errorCode == .reserved)
  }
}
