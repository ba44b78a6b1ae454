// What to do when no hub listens at a path: the end of the message of `noHub`. It looks at the file system, and opens
// nothing.

internal import Glibc

extension SocketPath {
  /// Why no hub answers at `path`, and what to do about it.
  static func absence(at path: String) -> String {
    switch FileKind(at: path) {
    case .nothing, .socket: "no hub listens at \(path); start it with \(start(at: path))"
    case let kind: "\(path) is \(kind.name) and no socket: check what names the path, as STATEHUB_SOCKET"
    }
  }

  private static func start(at path: String) -> String {
    let isRoot = geteuid() == 0
    if path == systemPath {
      let start = hasSystemd ? "`systemctl start statehub`" : isRoot ? "`statehub`" : "`statehub` as root"
      if isRoot { return start }
      // The machine's hub is what is left when the user has none.
      let own =
        hasRuntimeDirectory ? "`statehub`" : "`statehub --socket PATH`, and set STATEHUB_SOCKET to PATH"
      return "\(start), or one of your own with \(own)"
    }
    // A hub of root's is the machine's, unless its path is given.
    if path == SocketPath.user.resolved, !isRoot, hasRuntimeDirectory {
      let hasManager = hasSystemd && environment("XDG_RUNTIME_DIR") != nil
      return hasManager ? "`systemctl --user start statehub` or `statehub`" : "`statehub`"
    }
    return "`statehub --socket \(quoted(path))`"
  }

  private static var hasRuntimeDirectory: Bool { FileKind(at: runtimeDirectory) == .directory }

  /// Whether systemd runs this machine, according to sd_booted(3).
  private static var hasSystemd: Bool { FileKind(at: "/run/systemd/system") == .directory }

  /// As a shell takes it.
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

/// What a path leads to.
enum FileKind: Equatable {
  case nothing, socket, directory
  /// With the type's bits of its mode.
  case other(mode_t)

  init(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 || lstat(path, &status) == 0 else {
      self = .nothing
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFSOCK: self = .socket
    case S_IFDIR: self = .directory
    case let type: self = .other(type)
    }
  }

  var name: String {
    switch self {
    case .nothing: "nothing"
    case .socket: "a socket"
    case .directory: "a directory"
    case .other(S_IFREG): "a file"
    case .other(S_IFIFO): "a FIFO"
    case .other(S_IFLNK): "a symbolic link that leads nowhere"
    case .other: "a device"
    }
  }
}
