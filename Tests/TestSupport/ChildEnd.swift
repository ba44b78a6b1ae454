// Takes the ends of child processes as they come, so that no test leaves a process that has ended: Swift Testing's wait for its
// exit tests looks at every such process again and again, and takes a whole core for that.

import Foundation
import Glibc
import Synchronization

/// How a process ended, for its `ChildProcess` and for the thread that waits for it.
final class ChildEnd: Sendable {
  let pid: Int32
  private let exit = Mutex<ChildProcess.Exit?>(nil)

  init(pid: Int32) { self.pid = pid }

  /// Its number is its own until its end was taken.
  func signal(_ number: Int32) {
    exit.withLock { if $0 == nil { kill(pid, number) } }
  }

  /// Takes the end, if it has ended.
  func take() -> ChildProcess.Exit? {
    exit.withLock { exit in
      if exit != nil { return exit }
      var status: Int32 = 0
      guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
      exit = status & 0x7F == 0 ? .status((status >> 8) & 0xFF) : .signal(status & 0x7F)
      return exit
    }
  }

  /// Takes the end as soon as it comes, on a thread of its own.
  func takeWhenItComes() {
    let thread = Thread { [self] in
      var info = siginfo_t()
      while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      _ = take()
    }
    thread.stackSize = 128 << 10
    thread.start()
  }
}
