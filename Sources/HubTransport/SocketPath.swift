// Which hub a program talks to: where its socket is. It opens nothing.

internal import Glibc

/// The path of a hub's socket.
public enum SocketPath: Hashable, Sendable {
  /// `$STATEHUB_SOCKET`, else the user's hub if the directory of its socket exists, else the system's.
  case automatic
  /// The hub of this login session's user: `$XDG_RUNTIME_DIR/statehub/hub.sock`.
  case user
  /// The machine's hub: `/run/statehub/hub.sock`.
  case system
  case explicit(String)

  /// The path itself. `automatic` checks the environment and the file system each time: resolve once and keep it.
  public var resolved: String {
    switch self {
    case .automatic:
      if let path = SocketPath.environment("STATEHUB_SOCKET") { return path }
      let user = SocketPath.user.resolved
      return FileKind(at: String(user.dropLast("/hub.sock".count))) == .directory
        ? user : SocketPath.systemPath
    case .user: return SocketPath.runtimeDirectory + "/statehub/hub.sock"
    case .system: return SocketPath.systemPath
    case .explicit(let path): return path
    }
  }

  static let systemPath = "/run/statehub/hub.sock"

  static var runtimeDirectory: String { environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())" }

  /// An empty variable counts as unset.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// The system's limit for the path of a socket.
  package static let maximumLength = 107

  /// Why no socket can be at `path`, whatever there is; nil if one can.
  package static func problem(with path: String) -> String? {
    if path.isEmpty { return "the path of the hub's socket is empty" }
    let length = path.utf8.count
    guard length > maximumLength else { return nil }
    return
      "the path of the hub's socket takes \(length) bytes, and at most \(maximumLength) are possible: \(path)"
  }
}
