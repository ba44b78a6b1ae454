// Owns a thread that has nothing to do with the test's executor.

import Dispatch

/// Runs a closure on a Dispatch thread.
struct Thread {
  private let group = DispatchGroup()

  init(_ body: @escaping @Sendable () -> Void) { DispatchQueue.global().async(group: group, execute: body) }

  /// Blocks until the closure has returned.
  func join() { group.wait() }
}
