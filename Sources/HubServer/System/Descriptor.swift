// One file descriptor with one owner: closed exactly once, with its owner.

import Glibc

struct Descriptor: ~Copyable, Sendable {
  let raw: Int32

  /// Owns what a system call returned.
  ///
  /// - Throws: `ServerError.system`, from `errno`, if that is not a descriptor.
  init(_ raw: Int32, from call: String) throws(ServerError) {
    if raw < 0 { throw .system(call: call, code: errno) }
    self.raw = raw
  }

  /// Owns a descriptor that is known to be open.
  init(adopting raw: Int32) { self.raw = raw }

  /// Sets whether a program executed in this process keeps it, under the same number.
  func setSurvivesExecution(_ survives: Bool) {
    _ = fcntl(raw, F_SETFD, survives ? 0 : FD_CLOEXEC)
  }

  deinit { close(raw) }
}
