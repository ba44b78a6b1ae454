// Whether a program learns that its hub is away, and since when: on a hub in memory, and on one that is killed.

import HubClient
import HubTesting
import HubTransport
import TestSupport
import Testing

@Suite("Whether the hub is there")
struct HubStatusTests {
  @Test("a program sees when its hub went, why, and when it came back")
  func value() async throws {
    let hub = Hub.inMemory()
    let memory = try #require(hub.memory)
    #expect(hub.status == .idle)
    memory.advance(by: .seconds(3))
    try await hub.ping()
    #expect(hub.status == .connected(since: Deadline(nanoseconds: 3_000_000_000)))
    memory.advance(by: .seconds(4))
    memory.stop()
    #expect(hub.status.since == Deadline(nanoseconds: 7_000_000_000))
    #expect(hub.status.error?.code == .connectionLost)
    // Nothing needs the hub: it is not asked again.
    memory.advance(by: .seconds(60))
    #expect(hub.status.error?.code == .connectionLost)
    let values = hub.value("a", of: Int.self).values.makeAsyncIterator()
    memory.advance(by: .seconds(1))
    #expect(hub.status.error?.code == .noHub)
    #expect(hub.status.since == Deadline(nanoseconds: 7_000_000_000))
    memory.start(keepingState: true)
    memory.advance(by: .seconds(10))
    #expect(hub.status == .connected(since: hub.now))
    withExtendedLifetime(values) {}
    hub.close()
    #expect(hub.status == .closed)
  }

  @Test("a stream of statuses begins with the current one, keeps a connection, and ends with the Hub")
  func stream() async throws {
    let hub = Hub.inMemory()
    let memory = try #require(hub.memory)
    var statuses = hub.statuses.makeAsyncIterator()
    #expect(await statuses.next() == .connected(since: hub.now))
    memory.stop()
    memory.advance(by: .seconds(5))
    #expect(await statuses.next()?.error?.code == .noHub)
    memory.start(keepingState: false)
    memory.advance(by: .seconds(10))
    #expect(await statuses.next() == .connected(since: hub.now))
    let waiting = Task { [statuses] in
      var statuses = statuses
      return [await statuses.next(), await statuses.next()]
    }
    hub.close()
    #expect(await waiting.value == [.closed, nil])
  }

  @Test("a cancelled stream of statuses ends, and wants no connection any more")
  func cancelled() async throws {
    let memory = InMemoryHub()
    memory.stop()
    let hub = memory.connect()
    let task = Task {
      var count = 0
      for await _ in hub.statuses { count += 1 }
      return count
    }
    try await eventually("the first attempt") { hub.status.error != nil }
    task.cancel()
    _ = await task.value
    memory.start(keepingState: true)
    memory.advance(by: .seconds(10))
    #expect(!hub.status.isConnected)
  }

  @Test(
    "each kind of stream ends once its time-out with an absent hub has passed, after the values that waited")
  func timeout() async throws {
    let hub = Hub.inMemory()
    let memory = try #require(hub.memory)
    let number = hub.value("number", of: Int.self)
    try await number.set(1)
    var values = number.values.timeout(.seconds(15)).makeAsyncIterator()
    var events = number.events.timeout(.seconds(16)).makeAsyncIterator()
    var watch = hub.watch("**").timeout(.seconds(17)).makeAsyncIterator()
    var views = hub.watch("**").views.timeout(.seconds(18)).makeAsyncIterator()
    var patient = number.values.makeAsyncIterator()
    #expect(try await values.next() == 1)
    #expect(try await events.next()?.value == 1)
    #expect(try await watch.next()?.kind == .initial)
    #expect(try await views.next()?.values.count == 1)
    try await number.set(2)
    memory.stop()
    memory.advance(by: .seconds(1))
    memory.advance(by: .seconds(19))
    #expect(try await values.next() == 2)
    let error = await failure { try await values.next() }
    #expect(error?.code == .noHub)
    #expect(error?.store == "number")
    #expect(error?.message.contains("15.0 seconds") == true)
    #expect(try await values.next() == nil)
    #expect(await failure { while try await events.next() != nil {} }?.code == .noHub)
    #expect(await failure { while try await watch.next() != nil {} }?.code == .noHub)
    #expect(await failure { while try await views.next() != nil {} }?.code == .noHub)
    memory.start(keepingState: true)
    memory.advance(by: .seconds(10))
    try await number.set(3)
    #expect(try await patient.next() == 3)
  }

  @Test("a hub that is killed is missed at once, and a hub that is started again is found")
  func killed() async throws {
    let directory = try TemporaryDirectory()
    var process = try HubProcess(in: directory)
    let hub = process.hub()
    var statuses = hub.statuses.makeAsyncIterator()
    let begin = hub.now
    while let status = await statuses.next(), !status.isConnected {}
    #expect(try #require(hub.status.since) >= begin)
    let number = hub.value("number", of: Int.self)
    try await number.set(1)
    let ending = Task {
      var seen: [Int] = []
      for try await value in number.values.timeout(.milliseconds(50)) { seen.append(value) }
      return seen
    }
    try await eventually("the stream is open") { number.cached == 1 }
    let killed = Deadline.now
    process.kill()
    while let status = await statuses.next(), status.error == nil {}
    let away = try #require(hub.status.since)
    #expect(away >= killed && away <= .now)
    #expect([.noHub, .connectionLost].contains(await failure { try await ending.value }?.code))
    #expect(Deadline.now >= away + .milliseconds(50))
    process = try HubProcess(in: directory)
    while let status = await statuses.next(), !status.isConnected {}
    #expect(try #require(hub.status.since) > away)
    withExtendedLifetime(process) {}
  }
}
