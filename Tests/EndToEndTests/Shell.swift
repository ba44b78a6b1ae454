// A shell that a test types into, with this package's programs in its path: what a user sees, line by line.

import Glibc
import TestSupport

final class Shell {
  private let process: ChildProcess
  private let input: Int32

  init(environment: [String: String?], directory: TemporaryDirectory) throws {
    let keyboard = directory.file("keyboard")
    guard mkfifo(keyboard, 0o600) == 0 else {
      throw TestFailure("mkfifo: \(String(cString: strerror(errno)))")
    }
    // Opened for reading, too, so that neither end waits for the other one.
    input = open(keyboard, O_RDWR | O_CLOEXEC)
    let programs = ChildProcess.built("")
    let path = "\(programs):\(getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")"
    // A session of its own, so that what runs in the background can be ended with it.
    process = try ChildProcess(
      "/usr/bin/setsid", ["/bin/sh"], environment: environment.merging(["PATH": path]) { $1 },
      input: keyboard, directory: directory)
    try type("exec 2>&1")
  }

  deinit {
    kill(-process.pid, SIGKILL)
    close(input)
  }

  func type(_ command: String) throws {
    var line = command + "\n"
    guard line.withUTF8({ write(input, $0.baseAddress, $0.count) }) == line.utf8.count else {
      throw TestFailure("cannot type: \(String(cString: strerror(errno)))")
    }
  }

  /// Waits until everything that was shown since the start is at least as long as `text`.
  ///
  /// - Throws: `TestFailure` if it does not begin with `text` then.
  func shows(_ text: String) async throws {
    do {
      try await process.shows { $0.hasPrefix(text) || !text.hasPrefix($0) }
    } catch {
      throw TestFailure("waiting for:\n\(text)\n\(error)")
    }
    guard process.standardOutput.hasPrefix(text) else {
      throw TestFailure("expected:\n\(text)seen:\n\(process.standardOutput)")
    }
  }

  /// Everything that was shown until now.
  var shown: String { process.standardOutput }
}
