// A subscriber process as the script sees it: the lines that it writes, one by one.

import Dispatch
import Glibc

@MainActor
final class SubscriberProcess {
  let process: ChildProcess
  private let lines: AsyncStream<String>

  init(_ executable: String, _ arguments: [String]) throws(Failure) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Failure("socketpair", code: errno) }
    let (own, other) = (ends[0], ends[1])
    defer { close(other) }
    // Bounded by the script: what waits here is the events of one step.
    let continuation: AsyncStream<String>.Continuation
    (lines, continuation) = AsyncStream.makeStream()
    process = try ChildProcess(executable, arguments, channel: other)
    SubscriberProcess.read(own, into: continuation)
  }

  /// The next line; nil if the process has ended or the task was cancelled.
  func next() async -> String? {
    for await line in lines { return line }
    return nil
  }

  /// Reads lines on a thread of Dispatch until the process ends, and closes the descriptor then.
  private nonisolated static func read(_ descriptor: Int32, into lines: AsyncStream<String>.Continuation) {
    DispatchQueue.global().async {
      var line: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        guard count > 0 else { break }
        for byte in chunk.prefix(count) {
          if byte == UInt8(ascii: "\n") {
            lines.yield(String(decoding: line, as: UTF8.self))
            line.removeAll()
          } else {
            line.append(byte)
          }
        }
      }
      lines.finish()
      close(descriptor)
    }
  }
}
