// A trial run of the installed program before it may take over: whether it runs, is a hub, and reports that it can read this one's state.
// The loop continues in the meantime; SIGCHLD and the timer show when to check.

import HubCore
import HubSystem

/// One child process with a pipe to it. It never outlives this object.
final class ProgramTrial {
  /// How long a program may take to answer, in nanoseconds: less than `statectl` waits for the reload.
  static let patience: UInt64 = 4_000_000_000

  let file: ProgramFile
  /// In CLOCK_BOOTTIME nanoseconds.
  let deadline: UInt64
  private let child: Subprocess
  private let output: Pipe
  private var isOver = false

  /// - Throws: why it cannot be executed.
  init(path: String?, now: UInt64) throws(ServerError) {
    guard let path else {
      throw .system(call: "find the program's own path", code: SystemError.noSuchFile.code)
    }
    file = try ServerError.attempt("execute \(path)", ProgramFile(path))
    deadline = now + ProgramTrial.patience
    var output = try ServerError.attempt("pipe", Pipe())
    Descriptor.setNonblocking(output.reading.raw)
    var spawn = Spawn(path, ["--version"], environment: ProgramTrial.environment)
    spawn.giveNoInput()
    spawn.give(output.writingEnd, as: .output)
    spawn.give(output.writingEnd, as: .error)
    // Connections are not closed on exec.
    spawn.giveNothingElse()
    spawn.restoreSignals()
    spawn.leadGroup()
    child = try ServerError.attempt("execute \(path)", spawn.start())
    output.closeWriting()
    self.output = output
  }

  /// Also kills what it has started.
  deinit { if !isOver { child.killGroup() } }

  /// How it ended; nil: it is running. Ask until there is an answer, and not after that.
  func result(at time: UInt64) -> TrialOutcome? {
    let hasEnded = child.hasEnded
    if !hasEnded, time < deadline { return nil }
    // While the process number is still its own.
    child.killGroup()
    isOver = true
    // If it writes more than the pipe holds, it blocks and times out.
    let text = Descriptor.readOnce(output.reading.raw, limit: 4096)
    // A child that exits only now is not waited for: it is reaped later with others.
    let trouble: String? =
      switch hasEnded ? child.reap() : nil {
      case .exited(0): nil
      case .exited(let status): "exits on --version with status \(status)"
      case .signaled(let signal): "crashes on --version: \(signal.title)"
      case nil: "did not answer --version within \(ProgramTrial.patience / 1_000_000_000) s"
      }
    return TrialOutcome(trouble: trouble, output: text)
  }

  /// The hub's own environment, without what is between it and its service manager.
  private static var environment: [[UInt8]] {
    let own =
      ServiceEnvironment.listenVariables + [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "FDSTORE", Inheritance.variable,
        TrialAnswer.variable,
      ]
    let others = Environment.lines.filter { line in !own.contains { line.starts(with: "\($0)=".utf8) } }
    return ["\(TrialAnswer.variable)=1"].map { Array($0.utf8) } + others
  }
}
