// One request and its waiting caller: here the caller meets the reply.

internal import HubCore
internal import Synchronization

/// The hub's reply, and the epoch of its revisions.
struct Answer: Sendable {
  let reply: Reply
  let epoch: Epoch
}

/// Finished once. Only one task waits for it.
final class Call: Sendable {
  private enum State {
    case open
    case awaited(EventStream.Waiter)
    case finished(Result<Answer, HubError>)
    /// The caller has its result.
    case taken
  }

  private let state = Mutex(State.open)

  /// The first result counts.
  ///
  /// - Returns: the waiter to wake.
  func finish(_ result: consuming Result<Answer, HubError>) -> EventStream.Waiter? {
    state.withLock { state in
      switch state {
      case .finished, .taken: return nil
      case .open:
        state = .finished(result)
        return nil
      case .awaited(let waiter):
        state = .finished(result)
        return waiter
      }
    }
  }

  /// There is a result to take.
  var isFinished: Bool { state.withLock { if case .finished = $0 { true } else { false } } }

  /// Moves the result to the caller: copying a reply costs as much as the rest of its processing. Nil if there is none.
  func take() -> Result<Answer, HubError>? {
    state.withLock { state in
      guard case .finished = state else { return nil }
      var found = State.taken
      swap(&state, &found)
      switch consume found {
      case .finished(let result): return result
      case .open, .awaited, .taken: return nil
      }
    }
  }

  /// The result, if it has arrived.
  var result: Result<Answer, HubError>? {
    state.withLock { if case .finished(let result) = $0 { result } else { nil } }
  }

  /// Suspends the task until there is a result.
  func park(_ waiter: EventStream.Waiter) {
    let isFinished = state.withLock { state in
      if case .finished = state { return true }
      state = .awaited(waiter)
      return false
    }
    if isFinished { waiter.resume() }
  }
}
