// The program that runs in this process, and its next execution. The path is the one it was started by: the program that is installed there takes
// over.

import HubSystem

struct Program {
  /// Nil: the kernel did not report it.
  let path: String?
  /// The file that this process executes; nil: the kernel did not report it. No other file gets its number while it does.
  let file: FileIdentity?
  private let arguments: [[UInt8]]

  /// Read while the working directory is still the one in which the program was started.
  static let current = Program()

  private init() {
    arguments = CurrentProcess.arguments
    file = (try? FileStatus(at: "/proc/self/exe"))?.identity
    let name = CurrentProcess.programPath ?? ""
    if name.first == "/" {
      path = name
    } else if !name.isEmpty, let directory = CurrentProcess.workingDirectory {
      path = directory + "/" + name
    } else {
      path = nil
    }
  }

  /// Executes the program in this process, with the same arguments and the current environment.
  ///
  /// - Parameter tried: the file that was tried. Another one at its path is not executed.
  /// - Returns: why it failed; on success it does not return.
  func execute(_ tried: ProgramFile) -> ExecutionProblem {
    // By its path, not by a descriptor: the next program must know the path, and a script's interpreter opens it.
    guard (try? ProgramFile(tried.path)) == tried else { return .isAnother }
    let problem = CurrentProcess.execute(tried.path, arguments)
    return .failed(.system(call: "execute \(tried.path)", code: problem.code))
  }
}

enum ExecutionProblem {
  /// The program at the path is not the one that was tried.
  case isAnother
  case failed(ServerError)
}

/// Distinguishes the program at a path from one that replaces it, or from itself after it was written to.
struct ProgramFile: Equatable {
  let path: String
  private let status: FileStatus
  var identity: FileIdentity { status.identity }

  init(_ path: String) throws(SystemError) {
    self.path = path
    status = try FileStatus(at: path)
  }
}
