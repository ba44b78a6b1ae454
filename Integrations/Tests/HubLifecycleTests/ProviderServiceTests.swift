// Providers in a group of services: what their writers are told when the group shuts down.

import HubClient
import HubLifecycle
import HubTesting
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite("A provider as a service", .timeLimit(.minutes(4)))
struct ProviderServiceTests {
  let hub = Hub.inMemory()

  private func state() async throws -> ClaimStatus.State? { try await hub.claims().first?.state }

  private func ends(_ service: any Service) async throws {
    try await testGracefulShutdown { trigger in
      let running = Task { try await service.run() }
      while try await state() != .live { await Task.yield() }
      try await hub.value("dev.level").set(3)
      #expect(try await hub.value("dev.level", of: Int.self).get() == 3)
      trigger.triggerGracefulShutdown()
      try await running.value
    }
    #expect(try await state() == .suspended)
    await #expect {
      try await hub.value("dev.level").set(4)
    } throws: { ($0 as? HubError)?.code == .unavailable }
  }

  @Test("of one value takes writes until the graceful shutdown, and leaves nothing that counts as live")
  func value() async throws {
    let level = try hub.provide("dev.level", of: Int.self, initial: 1)
    try await ends(level.service { value, _ in value })
  }

  @Test("of a tree takes writes until the graceful shutdown, and leaves nothing that counts as live")
  func tree() async throws {
    let claim = try hub.claim("dev.**")
    try await ends(claim.service { try await $0.accept() })
  }
}
