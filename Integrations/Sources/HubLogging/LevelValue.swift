// A level as a value of a store, and the hub's status as messages.

public import HubClient
public import Logging

/// A string store, as in `debug`.
extension Logger.Level: @retroactive StoreValue {}

extension Hub {
  /// Writes a message whenever the hub is reached or missed, until the task is cancelled or the Hub is closed. Meanwhile the
  /// Hub keeps a connection.
  ///
  /// A connection is `info`, its absence a `warning` with the reason; another reason for the same absence is `debug`.
  public func logStatus(to logger: Logger) async {
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
