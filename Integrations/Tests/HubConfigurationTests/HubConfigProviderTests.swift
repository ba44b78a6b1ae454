// What the library's suite does not ask: changes, consistency, types, and a hub that is away.

import Configuration
import HubClient
import HubConfiguration
import HubMirror
import HubTesting
import IntegrationSupport
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite("Configuration from a hub", .timeLimit(.minutes(4)))
final class HubConfigProviderTests: Sendable {
  let hub = Hub.inMemory()

  deinit { hub.close() }

  private func provider() async throws -> HubConfigProvider {
    try await HubConfigProvider(hub: hub, prefix: "app").following(hub)
  }

  /// Waits until the provider has seen what was set: it follows on its own task.
  private func content(
    _ provider: HubConfigProvider, _ key: AbsoluteConfigKey, _ type: ConfigType, is expected: ConfigContent?
  ) async throws {
    try await provider.watchValue(forKey: key, type: type) { updates in
      for await update in updates where try update.get().value?.content == expected { return }
    }
    #expect(try provider.value(forKey: key, type: type).value?.content == expected)
  }

  @Test("a watcher gets the current value, each change, and that there is none any more")
  func watch() async throws {
    let timeout = hub.value("app.http.timeout", of: Int.self)
    let provider = try await provider()
    try await ConfigReader(provider: provider).watchInt(forKey: "http.timeout") { updates in
      var updates = updates.makeAsyncIterator()
      #expect(try await updates.next() == .some(nil))
      try await timeout.set(10)
      #expect(try await updates.next() == 10)
      try await timeout.set(20)
      #expect(try await updates.next() == 20)
      try await timeout.remove()
      #expect(try await updates.next() == .some(nil))
    }
  }

  @Test("a watcher is not told of other stores, nor of an equal value")
  func silence() async throws {
    let provider = try await provider()
    try await hub.value("app.a", of: Int.self).set(1)
    try await content(provider, "a", .int, is: .int(1))
    try await provider.watchValue(forKey: "a", type: .int) { updates in
      var updates = updates.makeAsyncIterator()
      #expect(try await updates.next()?.get().value?.content == .int(1))
      try await hub.value("app.b", of: Int.self).set(1)
      try await content(provider, "b", .int, is: .int(1))
      try await hub.value("app.a", of: Int.self).set(1, force: true)
      try await hub.value("app.a", of: Int.self).set(2)
      #expect(try await updates.next()?.get().value?.content == .int(2))
    }
  }

  @Test("a slow watcher gets the newest value")
  func slow() async throws {
    let provider = try await provider()
    try await provider.watchValue(forKey: "a", type: .int) { updates in
      for value in 1...100 { try await hub.value("app.a", of: Int.self).set(value) }
      try await content(provider, "a", .int, is: .int(100))
      var updates = updates.makeAsyncIterator()
      #expect(try await updates.next()?.get().value?.content == .int(100))
    }
  }

  @Test("values that are set together are seen together, in every snapshot")
  func together() async throws {
    let memory = try #require(hub.memory)
    let writer = memory.connect()
    let (a, b) = (writer.value("app.a", of: Int.self), writer.value("app.b", of: Int.self))
    func set(_ value: Int) async throws {
      try await writer.transaction {
        $0.set(a, to: value)
        $0.set(b, to: -value)
      }
    }
    try await set(0)
    let provider = try await provider()
    let writing = Task { for value in 1...300 { try await set(value) } }
    var last = -1
    try await provider.watchSnapshot { snapshots in
      for await snapshot in snapshots {
        guard case .int(let a)? = try snapshot.value(forKey: "a", type: .int).value?.content,
          case .int(let b)? = try snapshot.value(forKey: "b", type: .int).value?.content
        else { throw HubError(.noSuchStore, "a snapshot without values") }
        #expect(a == -b)
        #expect(a > last)
        last = a
        if a == 300 { return }
      }
    }
    try await writing.value
    let snapshot = provider.snapshot()
    try await set(400)
    try await content(provider, "a", .int, is: .int(400))
    #expect(try snapshot.value(forKey: "b", type: .int).value?.content == .int(-300))
  }

  @Test("a value of another type is an error that says so, and the next one is fine")
  func types() async throws {
    let provider = try await provider()
    let any = hub.anyValue("app.a")
    try await any.set(.string("ten"))
    try await content(provider, "a", .string, is: .string("ten"))
    let error = #expect(throws: HubError.self) { try provider.value(forKey: "a", type: .int) }
    #expect(error?.code == .typeMismatch)
    #expect(error?.store == "app.a")
    #expect(throws: HubError.self) { try provider.snapshot().value(forKey: "a", type: .int) }
    await #expect(throws: HubError.self) { try await provider.fetchValue(forKey: "a", type: .int) }
    try await provider.watchValue(forKey: "a", type: .int) { updates in
      var updates = updates.makeAsyncIterator()
      let first = try await updates.next()
      #expect(throws: HubError.self) { try first?.get() }
      try await any.remove()
      #expect(try await updates.next()?.get().value == nil)
      try await any.set(.integer(10))
      #expect(try await updates.next()?.get().value?.content == .int(10))
    }
  }

  @Test("a whole number is a double, JSON may be what it is, and nothing else is converted")
  func conversions() async throws {
    let provider = try await provider()
    func check(_ value: HubValue, _ type: ConfigType, _ expected: ConfigContent?) async throws {
      let store = hub.anyValue("app.a")
      try await store.set(value)
      if let expected {
        #expect(try await provider.fetchValue(forKey: "a", type: type).value?.content == expected)
      } else {
        await #expect(throws: HubError.self) { try await provider.fetchValue(forKey: "a", type: type) }
      }
      try await store.remove()
    }
    try await check(.integer(3), .double, .double(3))
    try await check(.double(3), .int, nil)
    try await check(.integer(1), .bool, nil)
    try await check(.string("1"), .int, nil)
    try await check(.json("7"), .int, .int(7))
    try await check(.json(#""x""#), .string, .string("x"))
    try await check(.json("[]"), .intArray, .intArray([]))
    try await check(.json(#"[1, "a"]"#), .intArray, nil)
    try await check(.json(#"["?"]"#), .byteChunkArray, nil)
  }

  @Test("keys are store names behind the prefix; a key that cannot be one has no value")
  func keys() async throws {
    try await hub.value("a.b", of: Int.self).set(1)
    try await hub.value("app.a.b", of: Int.self).set(2)
    let provider = try await provider()
    let bare = try await HubConfigProvider(hub: hub)
    #expect(try provider.value(forKey: ["a", "b"], type: .int).value?.content == .int(2))
    #expect(try provider.value(forKey: "a.b", type: .int).encodedKey == "app.a.b")
    #expect(try bare.value(forKey: "a.b", type: .int).value?.content == .int(1))
    #expect(try bare.value(forKey: "app.a.b", type: .int).value?.content == .int(2))
    #expect(try provider.value(forKey: "no name", type: .int).value == nil)
    #expect(try await provider.fetchValue(forKey: "no name", type: .int).value == nil)
    #expect(provider.providerName == "HubConfigProvider[app]")
    #expect(bare.providerName == "HubConfigProvider")
    await #expect(throws: HubError.self) { try await HubConfigProvider(hub: hub, prefix: "no name") }
  }

  @Test("secrets are marked by the store's name")
  func secrets() async throws {
    try await hub.value("app.db.password", of: String.self).set("x")
    try await hub.value("app.db.user", of: String.self).set("y")
    let provider = try await HubConfigProvider(
      hub: hub, prefix: "app", secrets: .specific(["app.db.password"]))
    #expect(try provider.value(forKey: "db.password", type: .string).value?.isSecret == true)
    #expect(try provider.value(forKey: "db.user", type: .string).value?.isSecret == false)
  }

  @Test("other providers come before it or after it, as the reader's list says")
  func list() async throws {
    try await hub.value("app.a", of: Int.self).set(1)
    let fixed = InMemoryProvider(values: ["a": 2, "b": 3])
    let provider = try await provider()
    let first = ConfigReader(providers: [provider, fixed])
    #expect(first.int(forKey: "a") == 1)
    #expect(first.int(forKey: "b") == 3)
    #expect(ConfigReader(providers: [fixed, provider]).int(forKey: "a") == 2)
  }

  @Test("a hub that goes away leaves its values, and its changes come when it is back")
  func away() async throws {
    let memory = try #require(hub.memory)
    try await hub.value("app.a", of: Int.self).set(1)
    let provider = try await provider()
    try await provider.watchValue(forKey: "a", type: .int) { updates in
      var updates = updates.makeAsyncIterator()
      #expect(try await updates.next()?.get().value?.content == .int(1))
      memory.stop()
      memory.advance(by: .seconds(60))
      #expect(provider.status.error != nil)
      #expect(try provider.value(forKey: "a", type: .int).value?.content == .int(1))
      memory.start(keepingState: true)
      try await memory.connect().value("app.a").set(2)
      memory.advance(by: .seconds(10))
      #expect(try await updates.next()?.get().value?.content == .int(2))
    }
  }

  private func making(isRequired: Bool) async throws -> HubConfigProvider {
    let memory = try #require(hub.memory)
    memory.stop()
    let making = Task {
      try await HubConfigProvider(hub: hub, prefix: "app", timeout: .seconds(3), isRequired: isRequired)
    }
    while hub.status.error == nil { await Task.yield() }
    memory.advance(by: .seconds(4))
    return try await making.value
  }

  @Test("a hub that is required and never comes is an error once the time-out has passed")
  func never() async throws {
    await #expect(throws: HubError.self) { try await making(isRequired: true) }
  }

  @Test("without a hub a program starts with its defaults, and has the hub's values when it comes")
  func later() async throws {
    let provider = try await making(isRequired: false)
    let config = ConfigReader(provider: provider)
    #expect(config.int(forKey: "timeout", default: 30) == 30)
    let memory = try #require(hub.memory)
    try await provider.watchValue(forKey: "timeout", type: .int) { updates in
      var updates = updates.makeAsyncIterator()
      #expect(try await updates.next()?.get().value == nil)
      Task { try await provider.run() }
      let passing = timePasses(memory)
      defer { passing.cancel() }
      memory.start(keepingState: true)
      try await memory.connect().value("app.timeout").set(60)
      #expect(try await updates.next()?.get().value?.content == .int(60))
    }
    #expect(config.int(forKey: "timeout", default: 30) == 60)
  }

  @Test("with a time-out of zero, a program starts at once, hub or no hub")
  func immediately() async throws {
    let memory = try #require(hub.memory)
    memory.stop()
    // Time passes only in its smallest steps.
    let passing = Task {
      while !Task.isCancelled {
        memory.advance(by: .nanoseconds(1))
        await Task.yield()
      }
    }
    defer { passing.cancel() }
    let provider = try await HubConfigProvider(hub: hub, prefix: "app", timeout: .zero)
    #expect(ConfigReader(provider: provider).int(forKey: "timeout", default: 30) == 30)
  }

  private func timePasses(_ memory: InMemoryHub) -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        memory.advance(by: .seconds(1))
        await Task.yield()
      }
    }
  }

  @Test("following continues after an error that may pass, and ends with the Hub")
  func following() async throws {
    let memory = try #require(hub.memory)
    try await hub.value("app.a").set(1)
    memory.stop()
    // Each iteration of this watch ends with an error as long as the hub is away.
    let watch = hub.watch("app.*").timeout(.seconds(1))
    let passing = timePasses(memory)
    defer { passing.cancel() }
    var errors = 0
    let end = await watch.follow(pause: .milliseconds(1)) { view in
      #expect(view.values["app.a"] == .integer(1))
      hub.close()
    } missed: { _ in
      errors += 1
      if errors == 3 { memory.start(keepingState: true) }
    }
    #expect(end?.code == .closed && errors >= 3)
  }

  @Test("a Hub that is closed ends its watchers with an error, and the values stay")
  func closed() async throws {
    try await hub.value("app.a", of: Int.self).set(1)
    let provider = try await provider()
    try await provider.watchValue(forKey: "a", type: .int) { updates in
      var updates = updates.makeAsyncIterator()
      #expect(try await updates.next()?.get().value?.content == .int(1))
      hub.close()
      let end = try await updates.next()
      #expect(throws: HubError.self) { try end?.get() }
    }
    #expect(try provider.value(forKey: "a", type: .int).value?.content == .int(1))
  }

  @Test("a provider stops following when its group shuts down, and its values stay")
  func service() async throws {
    try await hub.value("app.a", of: Int.self).set(1)
    let provider = try await HubConfigProvider(hub: hub, prefix: "app")
    #expect(try await hub.watches == 0)
    try await testGracefulShutdown { trigger in
      async let running: Void = provider.run()
      while try await hub.watches != 1 { await Task.yield() }
      trigger.triggerGracefulShutdown()
      try await running
    }
    #expect(try await hub.watches == 0)
    try await hub.value("app.a", of: Int.self).set(2)
    #expect(try provider.value(forKey: "a", type: .int).value?.content == .int(1))
  }
}
