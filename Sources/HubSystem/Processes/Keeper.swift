// A process that only keeps a descriptor open until another process has exited.

internal import CLinux
internal import Glibc

/// It outlives this process, and a signal does not end it unless that is SIGKILL. With its owner it ends before.
package struct Keeper: ~Copyable {
  private let process: Subprocess

  /// It is a copy of this process, which must not have other threads.
  ///
  /// - Parameter end: readable once the other process has ended.
  package init(of descriptor: Int32, until end: Int32) throws(SystemError) {
    // A child of a fork loses its parent's connections: see `Fork`. This one is passed on under another number.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    if copy < 0 { throw .last }
    defer { close(copy) }
    let pid = clinux_fork()
    if pid < 0 { throw .last }
    if pid == 0 {
      Signal.blockAll()
      // Not a standard stream; otherwise a reader of the output would wait for this process.
      dup2(copy, STDIN_FILENO)
      dup2(end, STDOUT_FILENO)
      Descriptor.closeAll(from: STDERR_FILENO)
      while !Poll.wait(for: .reading, on: STDOUT_FILENO) {}
      _exit(0)
    }
    process = Subprocess(pid: pid)
  }

  deinit {
    process.send(.kill)
    _ = try? process.waitForEnd()
  }
}
