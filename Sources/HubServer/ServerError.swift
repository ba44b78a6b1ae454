// Why the hub cannot start, in words that say what to do.

import Glibc
public import HubCore

public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process listens there. The pid is nil if the kernel does not tell.
  case alreadyRunning(path: String, pid: Int32?)
  /// The socket cannot be placed.
  case place(path: String, reason: String)
  /// A store that the configuration declares is refused.
  case declaration(HubError)
  /// A system call that has to succeed did not.
  case system(call: String, code: Int32)

  public var description: String {
    switch self {
    case .alreadyRunning(let path, let pid):
      "already running: \(pid.map { "process \($0)" } ?? "another process") serves \(path)"
    case .place(let path, let reason): "cannot listen at \(path): \(reason)"
    case .declaration(let error): "a declared store is refused: \(error)"
    case .system(let call, let code): "\(call): \(ServerError.text(of: code))"
    }
  }

  /// What an `errno` means.
  static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}
