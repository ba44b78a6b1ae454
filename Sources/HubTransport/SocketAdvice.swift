// What to do when no hub listens at a path: the end of the message of `noHub`. It looks at the file system, and opens
// nothing.

internal import HubSystem

extension SocketPath {
  /// Why no hub answers at `path`, and what to do about it.
  static func absence(at path: String) -> String {
    switch FileKind.found(at: path) {
    case nil, .socket: "no hub listens at \(path); start it with \(start(at: path))"
    case .some(let kind):
      "\(path) is \(kind.name), not a socket: check where the path comes from, for example STATEHUB_SOCKET"
    }
  }

  /// Where to look when a hub does not answer, because a service manager keeps the socket of a hub that cannot start.
  static func silence(at path: String, hasSystemd: Bool = SocketPath.hasSystemd) -> String {
    guard hasSystemd else { return "" }
    if path == systemPath { return "; `systemctl status statehub` may show why" }
    let isUser = path == SocketPath.user.resolved && environment("XDG_RUNTIME_DIR") != nil
    return isUser ? "; `systemctl --user status statehub` may show why" : ""
  }

  private static func start(at path: String) -> String {
    let isRoot = CurrentProcess.effectiveUser == 0
    if path == systemPath {
      let start = hasSystemd ? "`systemctl start statehub`" : isRoot ? "`statehub`" : "`statehub` as root"
      if isRoot { return start }
      // The machine's hub is the fallback if the user has none.
      let own =
        hasRuntimeDirectory ? "`statehub`" : "`statehub --socket PATH`, and set STATEHUB_SOCKET to PATH"
      return "\(start), or one of your own with \(own)"
    }
    // Root's hub is the machine's, unless its path is given.
    if path == SocketPath.user.resolved, !isRoot, hasRuntimeDirectory {
      let hasManager = hasSystemd && environment("XDG_RUNTIME_DIR") != nil
      return hasManager ? "`systemctl --user start statehub` or `statehub`" : "`statehub`"
    }
    return "`statehub --socket \(quoted(path))`"
  }

  private static var hasRuntimeDirectory: Bool { FileKind.found(at: runtimeDirectory) == .directory }

  /// Whether systemd runs this machine, according to sd_booted(3).
  private static var hasSystemd: Bool { FileKind.found(at: "/run/systemd/system") == .directory }

  /// Quoted for a shell.
  static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: ","):
        true
      default: false
      }
    }
    if isPlain { return path }
    return "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }
}

extension FileKind {
  /// What a path leads to; nil if nothing.
  static func found(at path: String) -> FileKind? {
    ((try? FileStatus(at: path)) ?? (try? FileStatus(at: path, followsLinks: false)))?.kind
  }

  var name: String {
    switch self {
    case .socket: "a socket"
    case .directory: "a directory"
    case .regular: "a file"
    case .pipe: "a FIFO"
    case .link: "a dangling symbolic link"
    case .device: "a device"
    }
  }
}
