// Providers of stores as services of a group: they stop being live when the group shuts down.

public import HubClient
public import ServiceLifecycle

/// Decides about the writes to a provided store while a group of services runs.
///
///     let level = try hub.provide("dev.level", of: Int.self, initial: 0)
///     let group = ServiceGroup(services: [hub, level.service { value, _ in await device.set(value) }], logger: logger)
///
/// When the group shuts down, the hub refuses writes with `unavailable`, including the one that is being decided.
public struct ProviderService: Service {
  private let decide: @Sendable () async throws -> Void

  fileprivate init(_ decide: @escaping @Sendable () async throws -> Void) { self.decide = decide }

  /// Runs until the group shuts down or the task is cancelled.
  ///
  /// - Throws: the same as `HubClaim.writes`.
  public func run() async throws { try await cancelWhenGracefulShutdown(decide) }
}

extension HubProvider {
  /// `decide` as a service.
  public func service(
    _ body: @escaping @Sendable (_ value: Value, _ setter: Hub.Peer) async throws -> Value
  ) -> ProviderService {
    ProviderService { try await self.decide(body) }
  }
}

extension HubClaim {
  /// An iteration of `writes` as a service.
  public func service(_ body: @escaping @Sendable (ProvidedWrite) async throws -> Void) -> ProviderService {
    ProviderService { for try await write in self.writes { try await body(write) } }
  }
}
