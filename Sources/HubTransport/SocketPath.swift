// Which hub a program talks to: where its socket is. It opens nothing.

internal import HubSystem

/// The path of a hub's socket.
public enum SocketPath: Hashable, Sendable {
  /// `$STATEHUB_SOCKET`; otherwise the user's hub if there is a socket at its path; otherwise the system's.
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
      return FileKind.found(at: user) == .socket ? user : SocketPath.systemPath
    case .user: return SocketPath.runtimeDirectory + "/statehub/hub.sock"
    case .system: return SocketPath.systemPath
    case .explicit(let path): return path
    }
  }

  static let systemPath = "/run/statehub/hub.sock"

  /// A variable that names another user's directory, as after `su` or `sudo -E`, is ignored, because that user's hub
  /// could answer anything.
  static var runtimeDirectory: String {
    let own = "/run/user/\(CurrentProcess.realUser)"
    guard let path = environment("XDG_RUNTIME_DIR") else { return own }
    let owner = (try? FileStatus(at: path))?.owner
    return owner == nil || owner == CurrentProcess.effectiveUser ? path : own
  }

  /// An empty variable counts as unset.
  static func environment(_ name: String) -> String? {
    guard let value = Environment[name], !value.isEmpty else { return nil }
    return value
  }

  /// Whether the path is an abstract name, as other programs write names of sockets that are not files.
  static func isAbstract(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "@") }

  /// Why there can be no socket at `path`, whatever is there; nil if there can.
  package static func problem(with path: String) -> String? {
    if path.isEmpty { return "the path of the hub's socket is empty" }
    if isAbstract(path) {
      return
        "\(path) is an abstract name, but a hub listens at a path: for a file with that name, give ./\(path)"
    }
    if path.utf8.contains(0) { return "the path of the hub's socket contains a NUL" }
    let length = path.utf8.count
    guard length > Socket.maximumPathLength else { return nil }
    return
      "the path of the hub's socket takes \(length) bytes, and at most \(Socket.maximumPathLength) are allowed: \(path)"
  }
}
