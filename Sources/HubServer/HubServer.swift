// The hub as a program's main work: one call that serves until a signal ends it.

internal import HubCore

/// The server of a hub.
public enum HubServer {
  /// The version of this hub and of all programs that are built with it.
  public static let release = Release.version

  /// Serves clients on the calling thread until SIGTERM or SIGINT, then tells every client why and returns.
  ///
  /// It takes over the thread's signal mask and the process's SIGPIPE, umask (while it starts) and descriptor limit:
  /// a process runs one hub.
  ///
  /// - Throws: `ServerError` if it cannot start.
  public static func run(_ options: ServerOptions) throws(ServerError) {
    var loop = try EventLoop(options)
    loop.run()
  }
}
