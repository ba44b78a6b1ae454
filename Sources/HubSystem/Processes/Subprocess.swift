// A process that this one has started: watched, signalled, and reaped once.

internal import CLinux
internal import Glibc

package struct Subprocess: Sendable {
  package let pid: Int32

  /// How a process has ended.
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case signaled(Signal)

    fileprivate init(_ status: Int32) {
      let signal = status & 0x7F
      self = signal == 0 ? .exited((status >> 8) & 0xFF) : .signaled(Signal(signal))
    }

    /// As a shell has it: 128 and the number for a signal.
    package var shellStatus: Int32 {
      switch self {
      case .exited(let status): status
      case .signaled(let signal): 128 + signal.number
      }
    }
  }

  /// A descriptor that is readable once the process has ended.
  package func end() throws(SystemError) -> Descriptor {
    try Descriptor(returned: clinux_pidfd_open(pid))
  }

  /// Whether it has ended and is not reaped: its number is still its own.
  package var hasEnded: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == SIGCHLD
  }

  package func send(_ signal: Signal) { kill(pid, signal.number) }

  /// Kills it, and everything in the group that it leads. Not after it was reaped.
  package func killGroup() {
    kill(pid, SIGKILL)
    kill(-pid, SIGKILL)
  }

  /// How it has ended; nil if it is running, or was reaped by another call.
  package func reap() -> End? {
    var status: Int32 = 0
    return waitpid(pid, &status, WNOHANG) == pid ? End(status) : nil
  }

  /// Waits for its end.
  ///
  /// - Throws: if its status is lost: another call has reaped it, or the process ignores SIGCHLD.
  @discardableResult
  package func waitForEnd() throws(SystemError) -> End {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
      if errno != EINTR { throw .last }
    }
    return End(status)
  }

  /// Reaps every child that has ended.
  package static func reapAll() { while waitpid(-1, nil, WNOHANG) > 0 {} }
}
