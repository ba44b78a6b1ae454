// A hub in memory whose connection is lost, whose state is lost, or that is closed: what streams and values make of it.

import HubClient
import HubTesting
import Testing

extension InMemoryTests {
  @Test("streams outlive a lost connection, continue where they were, and say what they missed")
  func reconnect() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let number = mine.value("number", of: Int.self)
    try await number.set(1)
    var latest = number.events.makeAsyncIterator()
    var every = number.events(.every(limit: 10)).makeAsyncIterator()
    #expect(try await latest.next()?.value == 1)
    #expect(try await every.next()?.value == 1)
    #expect(try await latest.next()?.kind == .synced)
    #expect(try await every.next()?.kind == .synced)
    memory.restart(keepingState: true)
    for value in 2...4 { try await memory.connect().value("number").set(value) }
    memory.advance(by: .milliseconds(100))
    #expect(try await latest.next()?.kind == .resumed)
    #expect(try await every.next()?.kind == .resumed)
    let changed = try #require(try await latest.next())
    #expect(changed.value == 4 && changed.skipped == 2 && changed.kind == .changed)
    for value in 2...4 {
      let changed = try #require(try await every.next())
      #expect(changed.value == value && changed.skipped == 0 && changed.kind == .changed)
    }
    #expect(try await latest.next()?.kind == .synced)
    #expect(try await every.next()?.kind == .synced)
    _ = other
  }

  @Test("after the loss of the hub's state a stream is told to forget, and shows what is there now")
  func newEpoch() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let (a, b) = (mine.value("a", of: Int.self), mine.value("b", of: Int.self))
    try await a.set(1)
    try await b.set(1)
    var events = mine.watch("*").makeAsyncIterator()
    for _ in 0..<3 { _ = try await events.next() }
    memory.restart(keepingState: false)
    try await other.value("b", of: Int.self).set(7)
    memory.advance(by: .milliseconds(100))
    #expect(try await events.next()?.kind == .reset)
    let initial = try #require(try await events.next())
    #expect(
      initial.name == "b" && initial.kind == .initial && initial.value == .integer(7)
        && initial.skipped == nil)
    #expect(try await events.next()?.kind == .synced)
  }

  @Test("an ephemeral value goes with its connection, and is set again on the next one")
  func ephemeral() async throws {
    let memory = InMemoryHub()
    let (mine, other) = (memory.connect(), memory.connect())
    let presence = other.value("presence", of: String.self)
    try await mine.value("presence").set("here", if: .absent, lifetime: .whileConnected)
    #expect(try await presence.get() == "here")
    memory.restart(keepingState: true)
    let gone = memory.connect().value("presence", of: String.self)
    #expect(await failure { try await gone.get() }?.code == .noSuchStore)
    memory.advance(by: .milliseconds(100))
    #expect(try await gone.get() == "here")
    mine.close()
    #expect(await failure { try await gone.get() }?.code == .noSuchStore)
  }

  @Test("a closed Hub fails its requests and ends its streams, with the same error")
  func closing() async throws {
    let number = hub.value("number", of: Int.self)
    var values = number.values.makeAsyncIterator()
    hub.close()
    #expect(await failure { try await values.next() }?.code == .closed)
    #expect(try await values.next() == nil)
    #expect(await failure { try await number.set(1) }?.code == .closed)
  }
}
