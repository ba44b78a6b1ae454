// Signals: their names, and what the process or a thread does with them.

internal import CLinux
internal import Glibc

package struct Signal: Hashable, Sendable {
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  package static var hangUp: Signal { Signal(SIGHUP) }
  package static var quit: Signal { Signal(SIGQUIT) }
  package static var user1: Signal { Signal(SIGUSR1) }
  package static var user2: Signal { Signal(SIGUSR2) }
  package static var terminalStop: Signal { Signal(SIGTSTP) }
  package static var terminalInput: Signal { Signal(SIGTTIN) }
  package static var terminalOutput: Signal { Signal(SIGTTOU) }
  package static var windowChanged: Signal { Signal(SIGWINCH) }
  package static var interrupt: Signal { Signal(SIGINT) }
  package static var terminate: Signal { Signal(SIGTERM) }
  package static var kill: Signal { Signal(SIGKILL) }
  package static var brokenPipe: Signal { Signal(SIGPIPE) }
  package static var fileTooLong: Signal { Signal(SIGXFSZ) }
  package static var childEnded: Signal { Signal(SIGCHLD) }

  /// Signals by which people, shells and service managers control a job. What is ignored of them when a program starts was
  /// ignored on purpose, as by nohup and by a shell's `&`, and stays ignored in everything that the program starts.
  package static var steering: [Signal] {
    [.hangUp, .interrupt, .quit, .terminate, .user1, .user2, .terminalStop, .terminalInput, .terminalOutput]
  }

  /// Its human-readable text.
  package var title: String { String(cString: strsignal(number)) }

  // MARK: For the process

  /// It has no effect: what it would report is the error of a call.
  package func ignore() { signal(number, SIG_IGN) }

  package var isIgnored: Bool { clinux_is_ignored(number) != 0 }

  package func restoreDefault() { signal(number, SIG_DFL) }

  /// It ends the process at once, with status 0 and without clearing up.
  package func exitSilently() { signal(number) { _ in _exit(0) } }

  /// Stops this process until it is continued.
  package static func stopHere() { raise(SIGSTOP) }

  // MARK: For this thread

  /// They wait. The mask lives on across exec, and so do signals that wait.
  package static func block(_ signals: [Signal]) { setBlocked(true, signals) }

  package static func unblock(_ signals: [Signal]) { setBlocked(false, signals) }

  /// None waits, whatever the parent process has left behind.
  package static func unblockAll() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  /// All wait that can.
  package static func blockAll() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, nil)
  }

  private static func setBlocked(_ isBlocked: Bool, _ signals: [Signal]) {
    let numbers = signals.map(\.number)
    clinux_set_blocked(isBlocked ? 1 : 0, numbers, numbers.count)
  }
}
