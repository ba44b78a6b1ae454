// Providers on a hub in memory: claimed, asked, answered; and after every misfortune live only once they have published.

import HubClient
import HubTesting
import TestSupport
import Testing

@Suite("Providing stores") struct ProvidingTests {
  private let memory = InMemoryHub()
  private let hub: Hub

  init() { hub = memory.connect() }

  /// Waits until the claim is in a state, as a watcher sees it.
  private func wait(
    for state: ClaimStatus.State, of name: String = "dev", in other: Hub? = nil
  ) async throws {
    for try await event in (other ?? hub).watch("statehub.providers.\(name)") {
      if let value = event.value, ClaimStatus("statehub.providers.\(name)", value)?.state == state { return }
    }
  }

  @Test("a provider of one value decides about writes; its refusals reach their setters in its words")
  func deciding() async throws {
    let level = try hub.provide("dev.level", of: Int.self, initial: 5)
    let deciding = Task {
      try await level.decide { value, _ in
        if value < 0 { throw Refusal("not below zero") }
        return min(value, 97)
      }
    }
    try await wait(for: .live, of: "dev.level")
    let writer = memory.connect().value("dev.level", of: Int.self)
    #expect(try await writer.get() == 5)
    try await writer.set(50)
    #expect(try await writer.get() == 50)
    try await writer.set(100)
    #expect(try await writer.get() == 97)
    await #expect { try await writer.set(-1) } throws: { error in
      (error as? HubError)?.code == .refused && (error as? HubError)?.message == "not below zero"
    }
    await #expect { try await writer.remove() } throws: { ($0 as? HubError)?.code == .refused }
    try await level.publish(7)
    #expect(try await writer.get() == 7)
    deciding.cancel()
    try await deciding.value
  }

  @Test("after the hub was lost the claim is made again, and is live only when everything is published again")
  func reconnecting() async throws {
    let published = Gate()
    let claim = try hub.claim("dev.**") { hub in
      try await published.pass()
      try await hub.value("dev.a", of: Int.self).set(1)
    }
    let serving = Task { for try await write in claim.writes { try await write.accept() } }
    await published.open()
    try await wait(for: .live)
    await published.close()
    memory.restart(keepingState: false)
    memory.advance(by: .seconds(1))
    try await wait(for: .syncing)
    let writer = memory.connect().value("dev.a", of: Int.self)
    await #expect { try await writer.set(2) } throws: { ($0 as? HubError)?.code == .unavailable }
    await published.open()
    try await wait(for: .live)
    #expect(try await writer.get() == 1)
    try await writer.set(2)
    #expect(try await writer.get() == 2)
    serving.cancel()
    try await serving.value
  }

  @Test("a claim learns when its first watcher comes and when its last one goes")
  func watchers() async throws {
    let claim = try hub.claim("dev.**")
    let serving = Task { for try await write in claim.writes { try await write.accept() } }
    var watched = claim.watched.makeAsyncIterator()
    #expect(try await watched.next() == false)
    let other = memory.connect()
    let watching = Task { for try await _ in other.value("dev.level", of: Int.self).values {} }
    while try await watched.next() == false {}
    watching.cancel()
    try await watching.value
    while try await watched.next() == true {}
    serving.cancel()
    try await serving.value
  }

  @Test("a transaction is one write, and what is refused changes nothing")
  func trees() async throws {
    let claim = try hub.claim("dev.**", window: 8, description: "devices")
    let serving = Task {
      for try await write in claim.writes {
        let isFree = write.operations.allSatisfy { $0.value != .integer(13) }
        if isFree { try await write.accept() } else { try await write.refuse("unlucky", code: .outOfRange) }
      }
    }
    try await wait(for: .live)
    let (a, b) = (hub.value("dev.a", of: Int.self), hub.value("dev.b", of: Int.self))
    try await hub.transaction {
      $0.set(a, to: 1)
      $0.set(b, to: 2)
    }
    #expect(try await a.get() == 1)
    await #expect {
      try await hub.transaction {
        $0.set(a, to: 7)
        $0.set(b, to: 13)
      }
    } throws: { ($0 as? HubError)?.code == .outOfRange }
    #expect(try await a.get() == 1)
    let claims = try await hub.claims()
    let name = try StoreName("dev.x")
    #expect(claims.count == 1 && claims[0].description == "devices" && claims[0].concerns(name))
    try await claim.suspend(because: "the bus is gone")
    await #expect { try await a.set(3) } throws: {
      ($0 as? HubError)?.message.contains("the bus is gone") == true
    }
    try await claim.release()
    await #expect(throws: HubError.self) { try await serving.value }
    try await a.set(3)
    #expect(try await hub.claims().isEmpty)
  }

  @Test(
    "one that hangs is suspended, whatever comes meanwhile, and live again when it asks for the next write")
  func hanging() async throws {
    let directory = try TemporaryDirectory()
    let process = try HubProcess(in: directory)
    defer { withExtendedLifetime((directory, process)) {} }
    let hub = process.hub()
    let claim = try hub.claim("dev.**", timeout: .milliseconds(50), window: 2)
    let (seen, free) = (Gate(), Gate())
    let serving = Task {
      for try await write in claim.writes {
        await seen.open()
        try await free.pass()
        // What was asked before is over: only what is asked now can still be wanted.
        if write.operations.first?.value == .integer(9) { try await write.accept() }
      }
    }
    try await wait(for: .live, in: hub)
    let value = hub.value("dev.a", of: Int.self)
    // On a busy machine the first ones may be over before the provider sees them.
    while await !seen.isOpen {
      await #expect { try await value.set(1) } throws: { isUndecided($0) }
    }
    for number in 2...4 {
      await #expect { try await value.set(number) } throws: { isUndecided($0) }
    }
    try await wait(for: .suspended, in: hub)
    await #expect { try await value.set(5) } throws: { ($0 as? HubError)?.code == .unavailable }
    await free.open()
    try await wait(for: .live, in: hub)
    while true {
      do {
        try await value.set(9)
        break
      } catch {
        guard isUndecided(error) else { throw error }
      }
    }
    #expect(try await value.get() == 9)
    serving.cancel()
    try await serving.value
  }

  /// The provider was too slow, or is known to be.
  private func isUndecided(_ error: any Error) -> Bool {
    [.unanswered, .unavailable].contains((error as? HubError)?.code)
  }

  @Test("what another has claimed is refused, or waited for")
  func claimed() async throws {
    let first = try hub.claim("dev.**")
    let serving = Task { for try await _ in first.writes {} }
    try await wait(for: .live)
    let second = try hub.claim("dev.x", name: "other")
    await #expect { for try await _ in second.writes {} } throws: { ($0 as? HubError)?.code == .claimed }
    let third = try memory.connect().claim("dev.**", ifClaimed: .wait)
    let waiting = Task { for try await write in third.writes { try await write.accept([.integer(3)]) } }
    serving.cancel()
    _ = await serving.result
    first.hub.close()
    let writer = hub.value("dev.a", of: Int.self)
    try await wait(for: .live)
    try await writer.set(1)
    #expect(try await writer.get() == 3)
    waiting.cancel()
    _ = await waiting.result
  }
}

/// Lets tasks pass while it is open.
actor Gate {
  private(set) var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    for each in waiting { each.resume() }
    waiting = []
  }

  func close() { isOpen = false }

  func pass() async throws {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }
}
