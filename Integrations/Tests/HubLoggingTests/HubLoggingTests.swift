// What loggers write when a hub says which levels they have, and what is written about the hub itself.

import HubClient
import HubLogging
import HubTesting
import InMemoryLogging
import IntegrationSupport
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite("Logging with a hub", .timeLimit(.minutes(4)))
final class HubLoggingTests: Sendable {
  let hub = Hub.inMemory()

  deinit { hub.close() }

  private func until(_ isSo: () -> Bool) async { while !isSo() { await Task.yield() } }

  @Test("the store of the longest beginning of the label decides, and without one the program does")
  func levels() async throws {
    let levels = try await HubLogLevels(hub: hub, prefix: "app.log").following(hub)
    func logger(_ label: String) -> Logger {
      Logger(label: label) { levels.handler(label: $0, InMemoryLogHandler()) }
    }
    var (db, pool, http) = (logger("db"), logger("db.pool"), logger("http"))
    http.logLevel = .notice
    #expect(db.logLevel == .info && http.logLevel == .notice)
    try await hub.value("app.log", of: Logger.Level.self).set(.error)
    await until { http.logLevel == .error }
    #expect(db.logLevel == .error && pool.logLevel == .error)
    try await hub.value("app.log.db", of: String.self).set("trace")
    await until { pool.logLevel == .trace }
    #expect(db.logLevel == .trace && http.logLevel == .error)
    #expect(logger("db.other").logLevel == .trace && logger("dbx").logLevel == .error)
    // What is no level changes nothing, and a removal falls back to what is shorter.
    try await hub.value("app.log.http", of: String.self).set("loud")
    try await hub.anyValue("app.log.db").remove()
    await until { db.logLevel == .error }
    #expect(http.logLevel == .error)
    try await hub.anyValue("app.log").remove()
    await until { http.logLevel == .notice }
    #expect(db.logLevel == .info)
    db.logLevel = .debug
    #expect(db.logLevel == .debug)
  }

  @Test("messages below the hub's level are not written, and the others come with their metadata")
  func messages() async throws {
    let levels = try await HubLogLevels(hub: hub).following(hub)
    let store = InMemoryLogHandler()
    var logger = Logger(label: "a") { levels.handler(label: $0, store) }
    logger[metadataKey: "who"] = "me"
    logger.debug("not yet")
    try await hub.value("log.a", of: String.self).set("debug")
    await until { logger.logLevel == .debug }
    logger.debug("now", metadata: ["what": "this"])
    #expect(store.entries.map { "\($0.message)" } == ["now"])
    #expect(store.entries.first?.metadata == ["who": "me", "what": "this"])
  }

  @Test("levels stay while the hub is away")
  func away() async throws {
    let levels = try await HubLogLevels(hub: hub).following(hub)
    let logger = Logger(label: "a") { levels.handler(label: $0, InMemoryLogHandler()) }
    try await hub.value("log", of: Logger.Level.self).set(.critical)
    await until { logger.logLevel == .critical }
    hub.memory?.stop()
    hub.memory?.advance(by: .seconds(60))
    #expect(logger.logLevel == .critical)
  }

  @Test("levels stay when the group of services has shut down")
  func shutDown() async throws {
    let levels = HubLogLevels(hub: hub)
    let logger = Logger(label: "a") { levels.handler(label: $0, InMemoryLogHandler()) }
    try await hub.value("log", of: Logger.Level.self).set(.critical)
    #expect(logger.logLevel == .info)
    try await testGracefulShutdown { trigger in
      async let running: Void = levels.run()
      await until { logger.logLevel == .critical }
      trigger.triggerGracefulShutdown()
      try await running
    }
    #expect(try await hub.watches == 0)
    #expect(logger.logLevel == .critical)
  }

  @Test("the hub's coming and going is written once each, and how it goes on only for debugging")
  func status() async throws {
    let memory = try #require(hub.memory)
    let store = InMemoryLogHandler()
    var logger = Logger(label: "hub") { _ in store }
    logger.logLevel = .debug
    let reporting = Task { [logger] in await HubStatusLog(hub, logger).run() }
    func written(_ count: Int) async { await until { store.entries.count == count } }
    await written(1)
    memory.stop()
    await written(2)
    memory.advance(by: .seconds(1))
    await written(3)
    memory.start(keepingState: true)
    memory.advance(by: .seconds(10))
    await written(4)
    hub.close()
    await reporting.value
    #expect(store.entries.map(\.level) == [.info, .warning, .debug, .info, .info])
    #expect(store.entries[1].metadata["code"] == "connectionLost")
    #expect(store.entries[2].metadata["code"] == "noHub")
  }
}
