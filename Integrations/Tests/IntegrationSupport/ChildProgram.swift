// A program of this package as a child process of a test, with its log.

import Foundation
import Synchronization

/// A program that was started, and is killed with this object.
package final class ChildProgram: Sendable {
  /// The lines that it writes to standard error, until it ends. For one task.
  package let log: AsyncStream<String>
  private let process: Mutex<Process>

  /// - Parameter environment: in addition to that of the test.
  package init(_ name: String, environment: [String: String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: name)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardError = output
    let (log, continuation) = AsyncStream<String>.makeStream()
    let unfinished = Mutex(Data())
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        return continuation.finish()
      }
      unfinished.withLock { line in
        line += data
        while let end = line.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(String(decoding: line[..<end], as: UTF8.self))
          line = Data(line[(end + 1)...])
        }
      }
    }
    try process.run()
    self.log = log
    self.process = Mutex(process)
  }

  /// Asks it to stop, as a service manager does.
  package func stop() { process.withLock { $0.terminate() } }

  /// Its exit status, once it has ended; nil if a signal has ended it.
  package func status() -> Int32? {
    process.withLock { process in
      process.waitUntilExit()
      return process.terminationReason == .exit ? process.terminationStatus : nil
    }
  }

  deinit {
    process.withLock { process in
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
  }
}
