// A subscriber process as the script sees it: the lines that it writes, one by one.

import Dispatch
import HubSystem

@MainActor
final class SubscriberProcess {
  let process: ChildProcess
  private let lines: AsyncStream<String>

  init(_ executable: String, _ arguments: [String]) throws(Failure) {
    let (own, other) = try Failure.attempt("socketpair", Socket.pair())
    defer { Descriptor.close(other) }
    // Bounded by the script: only the events of one step wait here.
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
    // A separate queue has its own thread; on the shared queues, blocked threads would keep other work from running.
    DispatchQueue(label: "lines").async {
      var line: [UInt8] = []
      while true {
        let chunk = Descriptor.readOnce(descriptor, limit: 4096)
        if chunk.isEmpty { break }
        for byte in chunk {
          if byte == UInt8(ascii: "\n") {
            lines.yield(String(decoding: line, as: UTF8.self))
            line.removeAll()
          } else {
            line.append(byte)
          }
        }
      }
      lines.finish()
      Descriptor.close(descriptor)
    }
  }
}
