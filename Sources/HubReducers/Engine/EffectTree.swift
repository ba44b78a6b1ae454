// Owns the lifetime of everything that one `send` started: the number of open parts, and the callers waiting for the
// end.

import Synchronization

/// The effects of one outermost `send`, and those of the actions that they sent.
package final class EffectTree: Sendable {
  private struct State {
    var open = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  let token: CancelToken
  private let state = Mutex(State())

  init(parent: CancelToken) { token = CancelToken(parent: parent) }

  /// Adds a part to the tree.
  func enter() { state.withLock { $0.open += 1 } }

  /// One part has ended; the last one ends the tree.
  func leave() {
    let waiters = state.withLock { state in
      state.open -= 1
      guard state.open == 0 else { return nil as [CheckedContinuation<Void, Never>]? }
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { return }
    token.end()
    for waiter in waiters { waiter.resume() }
  }

  package var isFinished: Bool { state.withLock { $0.open == 0 } }

  package var isCancelled: Bool { token.isCancelled }

  package func cancel() { token.cancel() }

  /// Returns when every part has ended. Ignores the waiting task's cancellation.
  func finished() async {
    await withCheckedContinuation { continuation in
      let isFinished = state.withLock { state in
        if state.open > 0 { state.waiters.append(continuation) }
        return state.open == 0
      }
      if isFinished { continuation.resume() }
    }
  }
}
