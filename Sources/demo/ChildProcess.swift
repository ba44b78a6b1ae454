// One process of the demonstration. It is killed and collected with its owner, whatever happens.

import HubSystem

final class ChildProcess {
  private let process: Subprocess
  private var hasEnded = false

  /// - Parameter channel: becomes its standard input and output; by default it reads nothing, and its output is
  ///   the demonstration's.
  init(_ executable: String, _ arguments: [String], channel: Int32? = nil) throws(Failure) {
    var spawn = Spawn(executable, arguments)
    if let channel {
      spawn.give(channel, as: .input)
      spawn.give(channel, as: .output)
    } else {
      spawn.giveNoInput()
    }
    // The demonstration ignores signals that would keep it from cleaning up; its child processes must not.
    spawn.restoreSignals()
    process = try Failure.attempt("cannot start \(executable)", spawn.start())
  }

  var pid: Int32 { process.pid }

  /// Where this program is; the hub was built next to it.
  static func directoryOfThisProgram() throws(Failure) -> String {
    guard let program = File.linkTarget(of: "/proc/self/exe") else {
      throw Failure("/proc/self/exe does not say where this program is")
    }
    return String(program[..<(program.lastIndex(of: "/") ?? program.endIndex)])
  }

  deinit { end(.kill) }

  /// Sends the signal and waits for the process's end.
  func end(_ signal: Signal) {
    guard !hasEnded else { return }
    hasEnded = true
    process.send(signal)
    _ = try? process.waitForEnd()
  }
}
