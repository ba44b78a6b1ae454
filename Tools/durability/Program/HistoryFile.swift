// A worker's history on its way to the file that the test reads: whole lines, written when the worker says so.

import DurabilityHistory
import Glibc

struct HistoryFile: ~Copyable {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  init(_ path: String) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if descriptor < 0 { fail("\(path): \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  mutating func add(_ record: Record) {
    buffer += record.line.utf8
    buffer.append(UInt8(ascii: "\n"))
  }

  mutating func flush() {
    var written = 0
    while written < buffer.count {
      let count = buffer.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
      if count < 0, errno != EINTR { fail("cannot write the history: \(String(cString: strerror(errno)))") }
      written += max(0, count)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Reads what has been added to a history since the last time, whole lines only.
struct HistoryTail: ~Copyable {
  private let descriptor: Int32
  private var rest: [UInt8] = []

  init(_ path: String) {
    descriptor = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor < 0 { fail("\(path): \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  mutating func newLines() -> [String] {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count <= 0 { break }
      rest += chunk[0..<count]
    }
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    let lines = rest[..<end].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    rest.removeSubrange(...end)
    return lines
  }
}

func fail(_ message: String) -> Never {
  say("durability: \(message)")
  exit(2)
}

/// A line for whoever watches, at once.
func say(_ line: String) {
  var line = line + "\n"
  _ = line.withUTF8 { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}
