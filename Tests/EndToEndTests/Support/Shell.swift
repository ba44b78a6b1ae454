// A shell that a test types into, with this package's programs in its path: what a user sees, line by line.

import Glibc
import TestSupport

final class Shell {
  private let process: ChildProcess
  private let keyboard: Keyboard

  init(environment: [String: String?], directory: TemporaryDirectory) throws {
    keyboard = try Keyboard(in: directory)
    let programs = ChildProcess.built("")
    let path = "\(programs):\(getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")"
    // A session of its own, so that what runs in the background can be ended with it.
    process = try ChildProcess(
      "/usr/bin/setsid", ["/bin/sh"], environment: environment.merging(["PATH": path]) { $1 },
      input: keyboard.path, directory: directory)
    try type("exec 2>&1")
  }

  deinit { kill(-process.pid, SIGKILL) }

  func type(_ command: String) throws { try keyboard.type(command) }

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
