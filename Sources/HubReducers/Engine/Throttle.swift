// Owns the last send under a throttling id, and the action pending for the end of the interval.

import Synchronization

/// Consecutive intervals, for all effects with one id in one scope of a store.
final class Throttle: Sendable {
  enum Decision {
    case now
    /// Later: ``endInterval(_:)`` has it then.
    case after(Duration)
    case never
  }

  private struct State {
    /// The time since the interval began; `nil`: nothing was sent yet.
    var elapsed: (@Sendable () -> Duration)?
    var pending: (any Sendable)?
    /// Whether an effect waits for the end of the interval.
    var isAwaited = false
  }

  private let state = Mutex(State())

  /// The outcome of an action that should be sent now.
  func pass(
    _ action: any Sendable, every interval: Duration, _ clock: any Clock<Duration>, isLatest: Bool
  ) -> Decision {
    let elapsed = state.withLock { $0.elapsed }?()
    let restarted = stopwatch(clock)
    return state.withLock { state in
      guard let elapsed, elapsed < interval else {
        (state.elapsed, state.pending) = (restarted, nil)
        return .now
      }
      if isLatest || state.pending == nil { state.pending = action }
      if state.isAwaited { return .never }
      state.isAwaited = true
      return .after(interval - elapsed)
    }
  }

  /// Starts the next interval with the pending action.
  func endInterval(_ clock: any Clock<Duration>) -> (any Sendable)? {
    let restarted = stopwatch(clock)
    return state.withLock { state in
      defer { (state.elapsed, state.pending, state.isAwaited) = (restarted, nil, false) }
      return state.pending
    }
  }

  /// The waiting effect was cancelled: its replacement may wait.
  func giveUp() { state.withLock { $0.isAwaited = false } }

  private func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
