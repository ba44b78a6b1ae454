// A hub's connection as a service of a group: it keeps the connection, reports its health, and closes it in its turn.

public import HubClient
public import ServiceLifecycle

/// Keeps a Hub connected while a group of services runs, and closes it when the group shuts down.
///
///     let group = ServiceGroup(services: [hub.service(timeout: .seconds(30)), server], logger: logger)
///     try await group.run()
///
/// A group shuts its services down in reverse order: list the hub before the services that use it, so that it closes after them.
/// Its ephemeral values end then.
public struct HubService: Service {
  /// The Hub that is kept connected.
  public let hub: Hub
  /// How long the hub may be away before the group fails; nil: indefinitely.
  public let timeout: Duration?

  /// - Parameter timeout: how long the hub may be away before the service, and with it the group, fails; nil: indefinitely.
  public init(_ hub: Hub, timeout: Duration? = nil) {
    self.hub = hub
    self.timeout = timeout
  }

  /// Runs until the group shuts down or the task is cancelled, and closes the Hub.
  ///
  /// - Throws: why the hub cannot be reached, once it was away for longer than `timeout`; `denied`, `unsupportedVersion`
  ///   and other errors that waiting cannot fix.
  public func run() async throws {
    defer { hub.close() }
    let events = watch
    try await cancelWhenGracefulShutdown {
      do throws(HubError) {
        for try await _ in events {}
      } catch {
        // The program has closed the Hub itself.
        if error.code != .closed { throw error }
      }
    }
  }

  /// Of a name that is reserved for the hub: nothing happens to it, but the Hub keeps a connection for the watch.
  private var watch: WatchSequence {
    let watch = hub.watch("statehub.service")
    return timeout.map { watch.timeout($0) } ?? watch
  }
}

extension Hub {
  /// This Hub as a service that fails its group once the hub was away for too long.
  public func service(timeout: Duration? = nil) -> HubService { HubService(self, timeout: timeout) }

  /// Whether the program should report that it is healthy.
  ///
  /// - Parameter tolerance: for how long the hub may be away: about as long as it takes to restart it.
  /// - Returns: false once the hub was away for longer, and when the Hub was closed.
  public func isHealthy(tolerating tolerance: Duration = .seconds(5)) -> Bool {
    switch status {
    case .idle, .connected: true
    case .connecting(let since), .unreachable(let since, _): since.duration(to: now) <= tolerance
    case .closed: false
    }
  }
}

/// A Hub in a group of services, which waits for it indefinitely: `ServiceGroup(services: [hub, server], logger: logger)`.
extension Hub: @retroactive Service {
  /// As `HubService.run`, without a time limit.
  public func run() async throws { try await HubService(self).run() }
}
