// Providers that answer reads, and that learn how often values are wanted, on a hub in memory.

import HubClient
import HubTesting
import Synchronization
import TestSupport
import Testing

@Suite("Providers that answer reads")
struct ProvidingReadTests {
  private let memory = InMemoryHub()
  private let hub: Hub
  /// Another program's.
  private let level: SharedValue<Int>

  init() {
    hub = memory.connect()
    level = memory.connect(timeout: .seconds(60)).value("dev.level", of: Int.self)
  }

  private func isLive() async throws {
    try await eventually("the provider is live") { try await hub.claims().first?.state == .live }
  }

  @Test(
    "a value is computed for each read, between two writes; without its provider it is what was published last"
  )
  func computed() async throws {
    let count = Atomic(0)
    let provider = try hub.provide("dev.level", of: Int.self, initial: 0) {
      count.add(1, ordering: .relaxed).newValue
    }
    let deciding = Task { try await provider.decide { value, _ in value } }
    try await isLive()
    #expect(try await level.get() == 1)
    #expect(try await level.get() == 2)
    try await level.set(70)
    for try await value in level.values {
      #expect(value == 70)
      break
    }
    #expect(try await level.get() == 3)
    deciding.cancel()
    try await deciding.value
    #expect(try await level.get() == 3)
    #expect(count.load(ordering: .relaxed) == 3)
  }

  @Test("a tree computes the store that is read, also one that does not exist yet")
  func tree() async throws {
    let claim = try hub.claim(
      "dev.**", onRead: { store, hub in try await hub.value(store, of: String.self).set("this is \(store)") })
    let serving = Task { for try await write in claim.writes { try await write.accept() } }
    try await isLive()
    let other = memory.connect()
    #expect(try await other.value("dev.a.b", of: String.self).get() == "this is dev.a.b")
    #expect(try await other.list("dev.**").map(\.name) == ["dev.a.b"])
    serving.cancel()
    try await serving.value
  }

  @Test(
    "what the closure throws is what readers get, as writers do",
    arguments: [
      (Refusal("asleep", code: .unavailable) as any Error, HubError.Code.unavailable),
      (Refusal("no"), .refused), (HubError(.denied, "why"), .denied),
      (HubError(.timeout, "why"), .unanswered),
      (CancellationError(), .unanswered), (EndOfSource(), .refused),
    ])
  func errors(error: any Error, code: HubError.Code) async throws {
    let provider = try hub.provide("dev.level", of: Int.self, initial: 0, onRead: { throw error })
    let deciding = Task { try await provider.decide { value, _ in value } }
    try await isLive()
    #expect(await failure { try await level.get() }?.code == code)
    try await level.set(2)
    deciding.cancel()
    try await deciding.value
  }

  @Test(
    "a closure that takes too long, or whose task is cancelled, leaves its readers unanswered",
    arguments: [true, false])
  func unanswered(isCancelled: Bool) async throws {
    let isAsked = Atomic(false)
    let gate = Gate()
    let provider = try hub.provide("dev.level", of: Int.self, initial: 0, timeout: .seconds(1)) {
      isAsked.store(true, ordering: .relaxed)
      try await gate.pass()
      return 5
    }
    let deciding = Task { try await provider.decide { value, _ in value } }
    try await isLive()
    let reading = Task { await failure { try await level.get() } }
    try await eventually("the provider is asked") { isAsked.load(ordering: .relaxed) }
    if isCancelled { deciding.cancel() } else { memory.advance(by: .seconds(1)) }
    if isCancelled { await gate.open() }
    #expect(await reading.value?.code == .unanswered)
    await gate.open()
    if !isCancelled {
      #expect(try await level.get() == 5)
      deciding.cancel()
    }
    try await deciding.value
  }

  @Test("the status has the least interval that watchers ask for")
  func interval() async throws {
    let claim = try hub.claim("dev.**")
    let serving = Task { for try await write in claim.writes { try await write.accept() } }
    var statuses = claim.status.makeAsyncIterator()
    let first = try #require(try await statuses.next())
    #expect(!first.isWatched && first.interval == nil && first.name == "dev")
    let slow = Task { for try await _ in level.values(atMost: .milliseconds(300)) {} }
    while try await statuses.next()?.interval != .milliseconds(300) {}
    let every = Task { for try await _ in memory.connect().value("dev.x", of: Int.self).values {} }
    while true {
      let status = try #require(try await statuses.next())
      if status.isWatched, status.interval == nil { break }
    }
    every.cancel()
    try await every.value
    while try await statuses.next()?.interval != .milliseconds(300) {}
    slow.cancel()
    try await slow.value
    while try await statuses.next()?.isWatched == true {}
    serving.cancel()
    try await serving.value
  }
}

private struct EndOfSource: Error {}
