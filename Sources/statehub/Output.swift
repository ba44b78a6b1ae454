// Standard output of the commands: a text that cannot be written makes the command fail.

import HubServer
import HubSystem

struct Output {
  private var problem: SystemError?

  /// After a failure nothing more is written.
  mutating func write(_ text: String) {
    if problem == nil { problem = StandardStream.output.writeAll(text) }
  }

  /// - Returns: the exit status: `status`, or 1 if something could not be written.
  func exitStatus(_ status: Int32 = 0) -> Int32 {
    guard let problem else { return status }
    // A reader that has closed its pipe needs no more.
    if problem != .brokenPipe { HubServer.logFailure("cannot write to standard output: \(problem)") }
    return 1
  }

  /// Writes a command's whole output.
  static func write(_ text: String) -> Int32 {
    var output = Output()
    output.write(text)
    return output.exitStatus()
  }
}
