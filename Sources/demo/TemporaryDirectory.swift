// The demonstration's own directory, for the hub's socket. It is removed with its owner.

import FoundationEssentials
import Glibc

final class TemporaryDirectory {
  let path: String

  init() throws(Failure) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/statehub-demo.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure("cannot make a directory in \(parent)", code: errno)
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
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
