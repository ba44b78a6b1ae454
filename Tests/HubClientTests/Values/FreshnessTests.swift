// What a value is worth, as its events and its handle tell it: providers come and go, the hub is away and comes back.

import HubClient
import HubTesting
import TestSupport
import Testing

@Suite("What a value is worth") struct FreshnessTests {
  private let memory = InMemoryHub()
  private let hub: Hub

  init() { hub = memory.connect() }

  private var level: SharedValue<Int> { hub.value("dev.level") }

  /// The next event that tells another freshness than the one before, as text.
  private func next(_ events: inout ValueEventSequence<Int>.Iterator, after last: Freshness) async throws
    -> ValueEvent<Int>
  {
    while let event = try await events.next() {
      if event.freshness != last, event.freshness != .unknown { return event }
    }
    throw TestFailure("the stream has ended")
  }

  /// Events until one is of that state.
  private func wait(
    _ events: inout ValueEventSequence<Int>.Iterator, until state: ClaimStatus.State
  ) async throws -> ClaimStatus {
    while let event = try await events.next() {
      if case .stale(let claim) = event.freshness, claim.state == state { return claim }
    }
    throw TestFailure("the stream has ended")
  }

  @Test("a value that nobody stands behind is live once the hub has shown everything, not before")
  func ordinary() async throws {
    try await level.set(1)
    var events = level.events.makeAsyncIterator()
    let initial = try #require(try await events.next())
    #expect(initial.kind == .initial && initial.value == 1 && initial.freshness == .unknown)
    let synced = try #require(try await events.next())
    #expect(synced.kind == .synced && synced.freshness == .live && synced.freshness.isLive)
    try await level.set(2)
    let changed = try #require(try await events.next())
    #expect(changed.kind == .changed && changed.freshness == .live)
    // A second stream knows it at once.
    var others = level.events.makeAsyncIterator()
    #expect(try await others.next()?.freshness == .unknown)
    #expect(try await others.next()?.freshness == .live)
  }

  @Test("each state of its provider is told, with the reason and since when, in order with the values")
  func provided() async throws {
    var events = level.events.makeAsyncIterator()
    #expect(try await next(&events, after: .unknown).freshness == .live)
    let claim = try hub.claim("dev.**", description: "devices") { hub in
      try await hub.value("dev.level", of: Int.self).set(5)
    }
    let serving = Task { for try await write in claim.writes { try await write.accept() } }
    try await eventually("the provider is live") { try await hub.claims().first?.state == .live }
    // Published before it was live.
    #expect(try await level.get() == 5)
    try await claim.suspend(because: "the bus is gone")
    let suspended = try await wait(&events, until: .suspended)
    #expect(suspended.reason == "the bus is gone" && suspended.name == "dev" && suspended.staleSince != nil)
    #expect([nil, "dev: the bus is gone"].contains(level.freshness.reason))
    claim.hub.close()
    let vacant = try await wait(&events, until: .vacant)
    #expect(vacant.staleSince == suspended.staleSince)
    await #expect(throws: HubError.self) { try await serving.value }
  }

  @Test(
    "a hub that is away makes the value unreachable since then; it is live again behind what has changed meanwhile"
  )
  func away() async throws {
    try await level.set(1)
    var events = level.events.makeAsyncIterator()
    while try await events.next()?.kind != .synced {}
    let lost = hub.now
    memory.stop()
    let event = try #require(try await events.next())
    guard case .unreachable(let since, let error) = event.freshness else { throw TestFailure("\(event)") }
    #expect(event.kind == .freshness && since == lost && event.freshness.reason == error.message)
    #expect(level.freshness.description.hasPrefix("unreachable, "))
    memory.start(keepingState: true)
    try await memory.connect().value("dev.level").set(2)
    memory.advance(by: .seconds(10))
    var values: [Int] = []
    var last = event
    while last.freshness != .live {
      last = try #require(try await events.next())
      if let value = last.value { values.append(value) }
    }
    #expect(values == [2])
  }

  @Test("a provider that goes while the hub cannot be reached is seen when it is back")
  func both() async throws {
    let claim = try hub.claim("dev.**")
    let serving = Task { for try await _ in claim.writes {} }
    try await eventually("the provider is live") { try await hub.claims().first?.state == .live }
    var events = level.events.makeAsyncIterator()
    #expect(try await next(&events, after: .unknown).freshness == .live)
    memory.stop()
    claim.hub.close()
    memory.start(keepingState: true)
    memory.advance(by: .seconds(10))
    #expect(try await wait(&events, until: .vacant).name == "dev")
    await #expect(throws: HubError.self) { try await serving.value }
  }

  @Test("a handle knows it without asking, as long as a stream of the value is open")
  func handle() async throws {
    let level = level
    #expect(level.freshness == .unknown)
    try await level.set(1)
    var values: ValueSequence<Int>.Iterator? = level.values.makeAsyncIterator()
    #expect(try await values?.next() == 1)
    try await eventually("it is known to be live") { level.freshness == .live }
    let claim = try hub.claim("dev.**")
    let serving = Task { for try await _ in claim.writes {} }
    try await eventually("the provider is live") {
      try await hub.claims().first?.state == .live && level.freshness == .live
    }
    claim.hub.close()
    try await eventually("the provider is seen to be away") {
      level.freshness.reason?.hasPrefix("dev: ") == true
    }
    memory.stop()
    guard case .unreachable = level.freshness else { throw TestFailure("\(level.freshness)") }
    memory.start(keepingState: true)
    values = nil
    #expect(!level.freshness.isLive)
    await #expect(throws: HubError.self) { try await serving.value }
  }

  @Test("providers are followed by one watch, only while somebody wants to know")
  func cost() async throws {
    let observer = memory.connect()
    func watches() async throws -> UInt64? {
      try await observer.stats().first { $0.name == "watches" }?.value
    }
    var values: ValueSequence<Int>.Iterator? = level.values.makeAsyncIterator()
    try await level.set(1)
    _ = try await values?.next()
    #expect(try await watches() == 1)
    var streams = (0..<3).map { _ in level.events.makeAsyncIterator() }
    try await eventually("both are watched") { try await watches() == 2 }
    streams.removeAll()
    try await eventually("only the values are") { try await watches() == 1 }
    values = nil
    try await eventually("nothing is") { try await watches() == 0 }
  }

  @Test("a program's own watch of providers goes on beside it, and after it")
  func shared() async throws {
    var own = hub.watch("statehub.providers.**").makeAsyncIterator()
    #expect(try await own.next()?.kind == .synced)
    var events: ValueEventSequence<Int>.Iterator? = level.events.makeAsyncIterator()
    _ = try await events?.next()
    events = nil
    let claim = try hub.claim("dev.**")
    let serving = Task { for try await _ in claim.writes {} }
    #expect(try await own.next()?.name == "statehub.providers.dev")
    serving.cancel()
    try await serving.value
  }

  @MainActor @Test("an observed value is stale while its provider is away, and says why")
  func observed() async throws {
    let claim = try hub.claim("dev.**") { hub in try await hub.value("dev.level", of: Int.self).set(5) }
    let serving = Task { for try await _ in claim.writes {} }
    let view = ObservedValue(level)
    try await eventually("it is current") { view.state == .current && view.value == 5 }
    claim.hub.close()
    try await eventually("it is stale") {
      if case .stale(_, let error) = view.state {
        error.code == .unavailable && error.store == "dev.level"
      } else {
        false
      }
    }
    #expect(view.value == 5)
    await #expect(throws: HubError.self) { try await serving.value }
  }
}
