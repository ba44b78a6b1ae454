// Waiting for child processes without holding one of the few threads that tests share.

import Dispatch
import Glibc
import TestSupport

extension ChildProcess {
  /// `wait`, on a thread of Dispatch.
  func ended(atMost seconds: Double) async throws -> Exit {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try self.wait(atMost: seconds) })
      }
    }
  }

  /// Waits until its standard output, from its beginning, satisfies `condition`.
  ///
  /// - Throws: `TestFailure` if it does not in time, or once the process has ended.
  func shows(
    atMost seconds: Double = 20, _ condition: @escaping @Sendable (String) -> Bool
  ) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try self.waitForOutput(seconds, condition) })
      }
    }
  }

  private func waitForOutput(_ seconds: Double, _ condition: (String) -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      // The wait for its end is the pause between two looks; what it has shown before its end counts.
      let end = poll(milliseconds: 5)
      let shown = standardOutput
      if condition(shown) { return }
      guard end == nil, ContinuousClock.now < deadline else {
        throw TestFailure("process \(pid) shows:\n\(shown)\(standardError)")
      }
    }
  }
}

extension HubProcess {
  /// Waits until a hub, which somebody else has started, accepts connections.
  static func accepts(at path: String) async throws {
    for _ in 0..<2000 {
      if let socket = RawClient.connectedSocket(to: path) {
        close(socket)
        return
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw TestFailure("no hub accepts connections at \(path)")
  }
}
