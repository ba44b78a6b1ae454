// Swift Configuration's own suite for providers, on a hub in memory and on a real one.

import ConfigurationTesting
import HubClient
import HubConfiguration
import HubTesting
import IntegrationSupport
import Testing

@Suite("The library's suite for providers")
struct ConformanceTests {
  private static let magic: [UInt8] = Array("magic".utf8)

  /// What the suite asks for.
  private static let values: [String: HubValue] = [
    "string": .string("Hello"), "other.string": .string("Other Hello"),
    "int": .integer(42), "other.int": .integer(24),
    "double": .double(3.14), "other.double": .double(2.72),
    "bool": .boolean(true), "other.bool": .boolean(false),
    "bytes": .data(magic), "other.bytes": .data(Array("magic2".utf8)),
    "stringy.array": .json(#"["Hello", "World"]"#), "other.stringy.array": .json(#"["Hello", "Swift"]"#),
    "inty.array": .json("[42, 24]"), "other.inty.array": .json("[16, 32]"),
    "doubly.array": .json("[3.14, 2.72]"), "other.doubly.array": .json("[0.9, 1.8]"),
    "booly.array": .json("[true, false]"), "other.booly.array": .json("[false, true, true]"),
    "byteChunky.array": .json(#"["bWFnaWM=", "bWFnaWMy"]"#),
    "other.byteChunky.array": .json(#"["bWFnaWM=", "bWFnaWMy", "bWFnaWM="]"#),
  ]

  private func pass(_ hub: Hub, prefix: String) async throws {
    let start = prefix.isEmpty ? "" : prefix + "."
    for (name, value) in Self.values { try await hub.anyValue(start + name).set(value) }
    let provider = try await HubConfigProvider(hub: hub, prefix: prefix)
    try await ProviderCompatTest(provider: provider).runTest()
  }

  @Test("passes in memory, with a prefix and without", arguments: ["", "app", "app.settings"])
  func inMemory(prefix: String) async throws {
    try await pass(.inMemory(), prefix: prefix)
  }

  @Test("passes on a real hub", .enabled(if: HubProgram.path != nil), .timeLimit(.minutes(4)))
  func real() async throws {
    let program = try await HubProgram()
    try await pass(program.connect(), prefix: "app")
    withExtendedLifetime(program) {}
  }
}
