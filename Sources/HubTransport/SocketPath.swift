// Which hub a program talks to: where its socket is. It opens nothing.

internal import Glibc

/// The place of a hub's socket.
public enum SocketPath: Hashable, Sendable {
  /// `$STATEHUB_SOCKET`, else the user's hub if the directory of its socket exists, else the system's.
  case automatic
  /// The hub of this login session's user: `$XDG_RUNTIME_DIR/statehub/hub.sock`.
  case user
  /// The machine's hub: `/run/statehub/hub.sock`.
  case system
  case explicit(String)

  /// The path itself. `automatic` looks at the environment and at the file system each time: resolve once and keep it.
  public var resolved: String {
    switch self {
    case .automatic:
      if let path = SocketPath.environment("STATEHUB_SOCKET") { return path }
      let user = SocketPath.user.resolved
      return SocketPath.isDirectory(String(user.dropLast("/hub.sock".count))) ? user : SocketPath.systemPath
    case .user:
      return (SocketPath.environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())") + "/statehub/hub.sock"
    case .system: return SocketPath.systemPath
    case .explicit(let path): return path
    }
  }

  static let systemPath = "/run/statehub/hub.sock"

  /// An empty variable counts as unset.
  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// How to start the hub whose socket belongs at `path`: the end of the message of `noHub`.
  static func advice(for path: String) -> String {
    if path == systemPath { return "start it with `systemctl start statehub`" }
    if path == SocketPath.user.resolved {
      return "start it with `systemctl --user start statehub`, or run `statehub`"
    }
    return "start it with `statehub --socket \(path)`"
  }
}
