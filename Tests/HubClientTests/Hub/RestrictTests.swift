// A Hub that restricts itself: its requests, its other connections, and what it does first when it reconnects.

import HubCore
import HubTesting
import HubTransport
import Testing

@testable import HubClient

@Suite("A Hub that restricts itself")
struct RestrictTests {
  @Test("reads go on, and writes are denied, also on the next connection")
  func reading() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let number = mine.value("number", of: Int.self)
    try await number.set(1)
    try await mine.restrict(to: .reading)
    #expect(await failure { try await number.set(2) }?.code == .denied)
    memory.restart(keepingState: true)
    memory.advance(by: .seconds(1))
    #expect(try await number.get() == 1)
    #expect(await failure { try await number.set(2) }?.code == .denied)
    try await memory.connect().value("number").set(3)
    #expect(try await number.get() == 3)
    _ = other
  }

  @Test("nothing keeps alive what there is, and does not come back from a lost connection")
  func nothing() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    try await mine.value("mine").set(1, if: .absent, lifetime: .whileConnected)
    var values = mine.value("a", of: Int.self).values.makeAsyncIterator()
    try await other.value("a").set(1)
    #expect(try await values.next() == 1)
    try await mine.restrict(to: .nothing)
    try await other.value("a").set(2)
    #expect(try await values.next() == 2)
    #expect(try await other.value("mine", of: Int.self).get() == 1)
    #expect(await failure { try await mine.restrict(to: .reading) }?.code == .denied)
    memory.restart(keepingState: true)
    memory.advance(by: .seconds(1))
    #expect(await failure { _ = try await values.next() }?.code == .denied)
    #expect(
      await failure { try await memory.connect().value("mine", of: Int.self).get() }?.code == .noSuchStore)
  }

  @Test("the connections of its claims and of its filters are restricted, too, whether they exist or not")
  func siblings() async throws {
    let memory = InMemoryHub()
    let mine = memory.connect()
    let (publishing, filter) = (mine.publishing, try WatchFilter(atMost: .seconds(1)))
    try await mine.restrict(to: .reading)
    for hub in [publishing, mine.filtered(by: filter)] {
      _ = try await hub.list()
      #expect(await failure { try await hub.value("a").set(1) }?.code == .denied)
    }
  }

  @Test("a new connection restricts itself before anything else, and is given up if it cannot")
  func first() throws {
    let client = ConnectedCore()
    client.begin(.write(.set(.name(try StoreName("a")), .integer(1))))
    client.core.restrict(to: .reading)
    client.core.restrict(to: .nothing)
    client.core.restrict(to: .reading)
    #expect(client.core.restriction == .nothing)
    client.connect()
    let requests = client.requests()
    #expect(requests.map(\.kind) == [.request(.hello), .request(.restrict), .write(.set)])
    let refusal = HubMessage.reply(requests[1].id, .error(HubError(.unknownKind, "no")))
    #expect(client.core.receive(refusal, now: client.now, &client.effects)?.code == .unknownKind)
  }
}
