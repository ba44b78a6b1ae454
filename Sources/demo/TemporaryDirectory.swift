// The demonstration's own directory, for the hub's socket. It is removed with its owner.

import FoundationEssentials
import HubSystem

final class TemporaryDirectory {
  let path: String

  init() throws(Failure) {
    let parent = Environment["TMPDIR"] ?? "/tmp"
    path = try Failure.attempt(
      "cannot make a directory in \(parent)", Directory.createTemporary("\(parent)/statehub-demo."))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and returns its path.
  func write(_ text: String, to name: String) throws(Failure) -> String {
    do {
      try Data(text.utf8).write(to: URL(filePath: file(name)))
      return file(name)
    } catch {
      throw Failure("cannot write \(file(name)): \(error)")
    }
  }
}
