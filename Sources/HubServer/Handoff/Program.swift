// The program that runs in this process, and its next execution. The path is the one it was started by: whatever is
// installed there then takes over.

import CLinux
import Glibc

struct Program {
  /// Nil: the kernel did not say.
  let path: String?
  private let arguments: [String]

  /// Read while the working directory is still the one in which the program was started.
  static let current = Program()

  private init() {
    arguments = CommandLine.arguments
    let name = clinux_program_path().map { String(cString: $0) } ?? ""
    if name.first == "/" {
      path = name
    } else if !name.isEmpty, let directory = getcwd(nil, 0) {
      path = String(cString: directory) + "/" + name
      free(directory)
    } else {
      path = nil
    }
  }

  /// Executes the program in this process, with the same arguments and the present environment.
  ///
  /// - Parameter tried: the file that was tried. Another one at its path is not executed.
  /// - Returns: why it failed; on success it does not return.
  func execute(_ tried: ProgramFile) -> ExecutionProblem {
    // By its path and not by a descriptor: the next program must know the path, and a script's interpreter opens it.
    guard ProgramFile(tried.path) == tried else { return .isAnother }
    var words = arguments.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    execv(tried.path, &words)
    return .failed(.system(call: "execute \(tried.path)", code: errno))
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
  private let device: dev_t
  private let inode: ino_t
  private let size: off_t
  private let changes: [Int]

  /// - Returns: nil with `errno` if there is no file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.path = path
    (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
    changes = [
      status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
      Int(status.st_mode),
    ]
  }
}
