// The standard input of a process that a test types into, line by line.

import Glibc
import TestSupport

final class Keyboard: Sendable {
  /// What the process has to be given as its input.
  let path: String
  private let descriptor: Int32

  init(in directory: TemporaryDirectory, name: String = "keyboard") throws {
    path = directory.file(name)
    guard mkfifo(path, 0o600) == 0 else { throw TestFailure("mkfifo: \(String(cString: strerror(errno)))") }
    // Opened for reading, too, so that neither end waits for the other one.
    descriptor = open(path, O_RDWR | O_CLOEXEC)
  }

  deinit { close(descriptor) }

  func type(_ text: String) throws {
    var line = text + "\n"
    guard line.withUTF8({ write(descriptor, $0.baseAddress, $0.count) }) == line.utf8.count else {
      throw TestFailure("cannot type: \(String(cString: strerror(errno)))")
    }
  }
}
