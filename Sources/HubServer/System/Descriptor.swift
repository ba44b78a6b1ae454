// One file descriptor with one owner: it is closed exactly once, when its owner goes.

import Glibc

struct Descriptor: ~Copyable, Sendable {
  let raw: Int32

  /// Takes over what a system call returned.
  ///
  /// - Throws: `ServerError.system` if that is no descriptor, from `errno`.
  init(_ raw: Int32, from call: String) throws(ServerError) {
    if raw < 0 { throw .system(call: call, code: errno) }
    self.raw = raw
  }

  /// Takes over a descriptor that is known to be open.
  init(adopting raw: Int32) { self.raw = raw }

  /// Whether a program that is executed in this process keeps it, under the same number.
  func setSurvivesExecution(_ survives: Bool) {
    _ = fcntl(raw, F_SETFD, survives ? 0 : FD_CLOEXEC)
  }

  deinit { close(raw) }
}
