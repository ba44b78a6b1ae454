// A service of a test that follows stores of a hub in memory.

package import HubClient
package import ServiceLifecycle

extension Hub {
  /// How many watches the hub has.
  package var watches: UInt64? {
    get async throws { try await stats().first { $0.name == "watches" }?.value }
  }
}

extension Service {
  /// Runs the service until its Hub is closed, and returns it once it follows.
  package func following(_ hub: Hub) async throws -> Self {
    Task { try await run() }
    while try await hub.watches != 1 { await Task.yield() }
    return self
  }
}
