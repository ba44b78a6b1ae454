// The program that runs in this process, and executing it anew. The path is the one that it was started by: what is installed
// there by then takes over.

import CLinux
import Glibc

struct Program {
  private let path: String?
  private let arguments: [String]

  /// Looks while the working directory is still the one in which the program was started.
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

  /// Executes the program in this process, with the same arguments and the environment of now.
  ///
  /// - Returns: why it did not work; else this never returns.
  func execute() -> ServerError {
    guard let path else { return .system(call: "find the program's own path", code: ENOENT) }
    var words = arguments.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    execv(path, &words)
    return .system(call: "execute \(path)", code: errno)
  }
}
