// The code of the README, compiled; and the test that it is the same.

import Configuration
import Foundation
import HubClient
import HubConfiguration
import HubFlags
import HubLifecycle
import HubLogging
import HubMetrics
import HubNIO
import HubReducers
import HubTracing
import Logging
import NIOCore
import ServiceLifecycle
import Testing
import Tracing
import UnixSignals

private func apply(_ timeout: Int) {}

private func configuration(_ hub: Hub, _ server: any Service, _ logger: Logger) async throws {
  let provider = try await HubConfigProvider(hub: hub, prefix: "app")
  let config = ConfigReader(providers: [EnvironmentVariablesProvider(), provider])
  let group = ServiceGroup(services: [hub, provider, server], logger: logger)

  let timeout = config.int(forKey: "http.timeout", default: 30)
  try await config.watchInt(forKey: "http.timeout", default: 30) { timeouts in
    for try await timeout in timeouts { apply(timeout) }
  }
  apply(timeout)
  try await group.run()
}

private func lifecycle(
  _ hub: Hub, _ levels: HubLogLevels, _ provider: HubConfigProvider, _ flags: FeatureFlags,
  _ level: HubProvider<Int>, _ server: any Service, _ logger: Logger
) async throws {
  let group = ServiceGroup(
    services: [
      hub.service(timeout: .seconds(30)), levels, provider, flags, HubStatusLog(hub, logger),
      HubMetricsService(hub: hub), level.service { value, _ in value }, server,
    ], gracefulShutdownSignals: [.sigterm], logger: logger)
  try await group.run()
}

private func logging(_ hub: Hub, _ server: any Service) async throws {
  let levels = HubLogLevels(hub: hub, prefix: "app.log")
  LoggingSystem.bootstrap { levels.handler(label: $0, StreamLogHandler.standardError(label: $0)) }
  let group = ServiceGroup(services: [hub, levels, server], logger: Logger(label: "app"))
  try await group.run()
}

private func metrics(_ hub: Hub, _ logger: Logger) async throws {
  let group = ServiceGroup(services: [hub, HubMetricsService(hub: hub)], logger: logger)
  try await group.run()
}

private func flags(
  _ hub: Hub, _ user: String, _ server: any Service, _ logger: Logger
) async throws {
  let flags = try await FeatureFlags(hub: hub, prefix: "flags")
  let group = ServiceGroup(services: [hub, flags, server], logger: logger)
  if flags.value("new-menu", default: false, for: FlagContext(targetingKey: user)) { print("new") }
  try await group.run()
}

@Reducer
struct Search {
  enum Action {
    case submitted(String)
    case found(String)
  }

  @Dependency(\.instrumentationContext) var context
  @Dependency(\.hub) var hub

  var body: some Reducer<Void, Action> {
    Reduce { _, action in
      guard case .submitted(let name) = action else { return .none }
      return .run { send in
        let text = try await withSpan("fetch", context: context) { _ in
          try await hub.value(name, of: String.self).get()
        }
        await send(.found(text))
      }
    }
    .traced()
  }
}

private func nio(_ channel: any Channel) {
  let nio = NIOHub(on: channel.eventLoop)
  let volume = nio.hub.value("audio.volume", of: Int.self)
  Task(executorPreference: nio.hub.executor) {
    for try await value in volume.values {
      channel.writeAndFlush(ByteBuffer(string: "\(value)\n"), promise: nil)
    }
  }
}

@Suite("The README of the integrations")
struct PageTests {
  private func lines(_ file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map
    {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  @Test("shows code that is compiled, line for line")
  func code() throws {
    let here = URL(filePath: #filePath)
    let page = try lines(here.deletingLastPathComponent().appending(path: "../../README.md"))
    let compiled = try lines(here).joined(separator: "\n")
    var blocks = 0
    var block: [String]?
    for line in page {
      if line == "```swift" {
        block = []
      } else if line == "```", let shown = block {
        block = nil
        blocks += 1
        // The lines of a manifest are no code of a program.
        if shown.first?.hasPrefix("dependencies:") == true { continue }
        #expect(compiled.contains(shown.joined(separator: "\n")), "\(shown)")
      } else {
        block?.append(line)
      }
    }
    #expect(blocks == 8)
  }
}
