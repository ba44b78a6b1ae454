// A trial run of the installed program before it may take over: whether it runs at all, is a hub, and reads what this one
// would leave to it. The loop continues meanwhile; SIGCHLD and the timer say when to look.

import CLinux
import Glibc
import HubCore

/// One child process with a pipe to it. It never outlives this object.
final class ProgramTrial {
  /// How long a program may take to answer, in nanoseconds: less than `statectl` waits for the reload.
  static let patience: UInt64 = 4_000_000_000

  let file: ProgramFile
  /// In CLOCK_BOOTTIME nanoseconds.
  let deadline: UInt64
  private let pid: pid_t
  private let output: Descriptor
  private var isOver = false

  /// - Parameter image: its standard input.
  /// - Throws: why it cannot be executed.
  init(path: String?, image: borrowing Descriptor, now: UInt64) throws(ServerError) {
    guard let path else { throw .system(call: "find the program's own path", code: ENOENT) }
    guard let file = ProgramFile(path) else { throw .system(call: "execute \(path)", code: errno) }
    self.file = file
    deadline = now + ProgramTrial.patience
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) != 0 { throw .system(call: "pipe", code: errno) }
    output = Descriptor(adopting: ends[0])
    defer { close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    var pid: pid_t = 0
    let problem = ProgramTrial.start(path, input: image.raw, output: ends[1], &pid)
    if problem != 0 { throw .system(call: "execute \(path)", code: problem) }
    self.pid = pid
  }

  deinit { if !isOver { endGroup() } }

  /// Kills the child and what it has started, while the child's number is still its own.
  private func endGroup() {
    kill(pid, SIGKILL)
    kill(-pid, SIGKILL)
  }

  /// How it ended; nil: it is running. Ask until there is an answer, and not after that.
  func result(at time: UInt64) -> TrialOutcome? {
    var info = siginfo_t()
    let hasEnded =
      waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == SIGCHLD
    if !hasEnded, time < deadline { return nil }
    endGroup()
    isOver = true
    // A child that ends only now is not waited for: `reap` takes it.
    var status: Int32 = 0
    let end: TrialOutcome.End
    if !hasEnded || waitpid(pid, &status, WNOHANG) != pid {
      end = .timedOut(seconds: Int(ProgramTrial.patience / 1_000_000_000))
    } else if status & 0x7F == 0 {
      end = .status((status >> 8) & 0xFF)
    } else {
      end = .signal(String(cString: strsignal(status & 0x7F)))
    }
    return TrialOutcome(end: end, output: readOutput())
  }

  /// Reaps ended children whose trials are over.
  static func reap() { while waitpid(-1, nil, WNOHANG) > 0 {} }

  /// The beginning of its output. If it writes more than the pipe holds, it blocks and times out.
  private func readOutput() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(output.raw, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  /// - Returns: an `errno`, 0 if it runs.
  private static func start(_ path: String, input: Int32, output: Int32, _ pid: inout pid_t) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    // Connections are not closed on exec.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var words = [strdup(path), strdup("--version"), nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { (words + variables).forEach { free($0) } }
    return posix_spawn(&pid, path, &actions, &attributes, &words, &variables)
  }

  /// The hub's own environment, without what is between it and its service manager.
  private static var environment: [String] {
    let own =
      ServiceEnvironment.listenVariables + [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "FDSTORE", Inheritance.variable,
        TrialAnswer.variable,
      ]
    var lines = ["\(TrialAnswer.variable)=1"]
    var next = environ
    while let variable = next.pointee {
      let line = String(cString: variable)
      if !own.contains(where: { line.hasPrefix("\($0)=") }) { lines.append(line) }
      next += 1
    }
    return lines
  }
}
