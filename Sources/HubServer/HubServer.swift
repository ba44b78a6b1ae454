// The hub as a program's main work: one call that serves until a signal ends it.

/// The server of a hub.
public enum HubServer {
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

  /// Looks whether the hub would accept these declarations, and does nothing else.
  ///
  /// - Throws: `ServerError.declaration`.
  public static func check(_ options: ServerOptions) throws(ServerError) {
    _ = try EventLoop.engine(with: options, now: Clocks.now)
  }
}
