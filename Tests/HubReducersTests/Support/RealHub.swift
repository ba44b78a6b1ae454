// Owns a hub process of a test's own, with this program's access to it and another program's.

import HubReducers
import TestSupport

/// A real hub. It ends with this object.
final class RealHub: Sendable {
  let directory: TemporaryDirectory
  let process: HubProcess
  /// The program under test.
  let hub: Hub
  /// Somebody else, who sets and reads.
  let other: Hub

  init(arguments: [String] = ["--volatile"]) throws {
    directory = try TemporaryDirectory()
    process = try HubProcess(in: directory, arguments: arguments)
    // Requests may take long on a loaded machine; no test waits for them to fail.
    hub = process.hub(name: "tested")
    other = process.hub(name: "other")
  }

  /// Ends the hub at once, and starts another one in its place.
  func restarted() throws -> HubProcess {
    process.kill()
    return try HubProcess(in: directory)
  }

  /// How many watches follow a store, as the hub sees it.
  func watchers(of name: String) async throws -> Int { Int(try await other.describe(name).watchers) }

  /// Waits until as many watches follow a store.
  func waitForWatchers(_ count: Int, of name: String) async throws {
    try await eventually("\(count) watchers of \(name)") { try await self.watchers(of: name) == count }
  }
}
