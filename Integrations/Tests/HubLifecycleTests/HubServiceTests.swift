// A hub's connection in a group of services: how long it is kept, when it fails, and what health says.

import HubClient
import HubLifecycle
import HubTesting
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@Suite("A hub as a service", .timeLimit(.minutes(4)))
struct HubServiceTests {
  let hub = Hub.inMemory()

  private func until(_ isSo: () -> Bool) async { while !isSo() { await Task.yield() } }

  @Test("keeps a connection until the graceful shutdown, and closes the Hub then")
  func graceful() async throws {
    try await testGracefulShutdown { trigger in
      let running = Task { try await hub.run() }
      await until { hub.status.isConnected }
      trigger.triggerGracefulShutdown()
      try await running.value
    }
    #expect(hub.status == .closed)
  }

  @Test("closes the Hub of a task that is cancelled")
  func cancelled() async throws {
    let running = Task { try await hub.run() }
    await until { hub.status.isConnected }
    running.cancel()
    try await running.value
    #expect(hub.status == .closed)
  }

  @Test("survives a restart of the hub, and fails once the hub was away for longer than its time-out")
  func timeout() async throws {
    let memory = try #require(hub.memory)
    let running = Task { try await hub.service(timeout: .seconds(30)).run() }
    await until { hub.status.isConnected }
    memory.restart(keepingState: false)
    memory.advance(by: .seconds(10))
    #expect(hub.status.isConnected)
    memory.stop()
    memory.advance(by: .seconds(1))
    memory.advance(by: .seconds(28))
    #expect(hub.status != .closed)
    memory.advance(by: .seconds(2))
    let error = await #expect(throws: HubError.self) { try await running.value }
    #expect(error?.code == .noHub)
    #expect(hub.status == .closed)
  }

  @Test("without a time-out waits indefinitely")
  func endless() async throws {
    let memory = try #require(hub.memory)
    let running = Task { try await hub.run() }
    await until { hub.status.isConnected }
    memory.stop()
    for _ in 0..<10 { memory.advance(by: .seconds(3600)) }
    memory.start(keepingState: true)
    memory.advance(by: .seconds(10))
    await until { hub.status.isConnected }
    running.cancel()
    try await running.value
  }

  @Test("a Hub that somebody closes ends its service without an error")
  func closed() async throws {
    let running = Task { try await hub.run() }
    await until { hub.status.isConnected }
    hub.close()
    try await running.value
  }

  @Test("is shut down after the services that use it")
  func order() async throws {
    struct User: Service {
      let hub: Hub
      let ended: Mutexed<HubStatus?>

      func run() async throws {
        try? await gracefulShutdown()
        // The hub still answers: the last value can be written.
        try await hub.value("last", of: Int.self).set(1)
        ended.value = hub.status
      }
    }
    let memory = try #require(hub.memory)
    let user = User(hub: hub, ended: Mutexed(nil))
    let group = ServiceGroup(services: [hub, user], logger: Logger(label: "test"))
    let running = Task { try await group.run() }
    await until { hub.status.isConnected }
    await group.triggerGracefulShutdown()
    try await running.value
    #expect(user.ended.value?.isConnected == true)
    #expect(hub.status == .closed)
    #expect(try await memory.connect().value("last", of: Int.self).get() == 1)
  }

  @Test("is healthy while the hub is there, or away for no longer than is tolerated")
  func health() async throws {
    let memory = try #require(hub.memory)
    #expect(hub.isHealthy())
    try await hub.ping()
    #expect(hub.isHealthy())
    memory.stop()
    memory.advance(by: .seconds(5))
    #expect(hub.isHealthy())
    memory.advance(by: .nanoseconds(1))
    #expect(!hub.isHealthy())
    #expect(hub.isHealthy(tolerating: .seconds(6)))
    memory.start(keepingState: true)
    let waiting = Task { try await hub.ping() }
    await until {
      memory.advance(by: .seconds(1))
      return hub.status.isConnected
    }
    _ = try await waiting.value
    #expect(hub.isHealthy(tolerating: .zero))
    hub.close()
    #expect(!hub.isHealthy())
  }
}

/// A value that two tasks share.
private final class Mutexed<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) { mutex = Mutex(value) }

  var value: Value {
    get { mutex.withLock { $0 } }
    set { mutex.withLock { $0 = newValue } }
  }
}
