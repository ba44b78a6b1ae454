// Waiting for child processes without holding one of the few threads that tests share: a queue of its own has a thread
// of its own.

import Dispatch
import Glibc
import TestSupport

extension ChildProcess {
  /// `wait`, on another thread.
  func ended(atMost seconds: Double = longestWait) async throws -> Exit {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "waiting").async {
        continuation.resume(with: Result { try self.wait(atMost: seconds) })
      }
    }
  }

  /// Waits until its standard output, from its beginning, satisfies `condition`.
  ///
  /// - Throws: `TestFailure` if it does not in time, or once the process has ended.
  func shows(
    atMost seconds: Double = longestWait, _ condition: @escaping @Sendable (String) -> Bool
  ) async throws {
    try await waits(seconds) { condition(self.standardOutput) }
  }

  /// The same for its standard error.
  func complains(
    atMost seconds: Double = longestWait, _ condition: @escaping @Sendable (String) -> Bool
  ) async throws {
    try await waits(seconds) { condition(self.standardError) }
  }

  private func waits(_ seconds: Double, for condition: @escaping @Sendable () -> Bool) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue(label: "waiting").async {
        continuation.resume(with: Result { try self.wait(seconds, for: condition) })
      }
    }
  }

  private func wait(_ seconds: Double, for condition: () -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      // The wait for its end is the pause between two looks; what it has shown before its end counts.
      let end = poll(milliseconds: 5)
      if condition() { return }
      guard end == nil, ContinuousClock.now < deadline else {
        throw TestFailure("process \(pid) shows:\n\(standardOutput)\(standardError)")
      }
    }
  }
}

extension HubProcess {
  /// Waits until a hub, which somebody else has started, accepts connections.
  static func accepts(at path: String) async throws {
    for _ in 0..<longestLooks {
      if let socket = RawClient.connectedSocket(to: path) {
        close(socket)
        return
      }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw TestFailure("no hub accepts connections at \(path)")
  }
}
