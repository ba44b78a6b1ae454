// A level as a value of a store, and the hub's status as messages.

public import HubClient
public import Logging
public import ServiceLifecycle

/// A string store, for example `debug`.
extension Logger.Level: @retroactive StoreValue {}

/// Logs a message whenever the hub is found or lost. Meanwhile the Hub keeps a connection.
///
///     let group = ServiceGroup(services: [hub, HubStatusLog(hub, logger), server], logger: logger)
///
/// A connection is logged as `info`, its loss as a `warning` with the reason, and another reason for the same absence as `debug`.
public struct HubStatusLog: Service {
  private let statuses: HubStatusSequence
  private let logger: Logger

  public init(_ hub: Hub, _ logger: Logger) {
    statuses = hub.statuses
    self.logger = logger
  }

  /// Runs until the group shuts down, the task is cancelled or the Hub is closed.
  public func run() async { await cancelWhenGracefulShutdown { await write() } }

  private func write() async {
    var wasAway = false
    for await status in statuses {
      switch status {
      case .idle, .connecting: continue
      case .connected: logger.info("the hub is there")
      case .unreachable(_, let error):
        logger.log(
          level: wasAway ? .debug : .warning, "the hub cannot be reached",
          metadata: ["reason": "\(error)", "code": "\(error.code)"])
      case .closed: logger.info("the connection to the hub was closed")
      }
      wasAway = !status.isConnected
    }
  }
}
