// One request and its waiting caller: where caller and answer meet. It knows neither the hub nor time.

internal import HubCore
internal import Synchronization

/// What the hub answered, and in which epoch its revisions count.
struct Answer: Sendable {
  let reply: Reply
  let epoch: Epoch
}

/// Finished once. Only one task waits for it.
final class Call: Sendable {
  private enum State {
    case open
    case awaited(UnsafeContinuation<Result<Answer, HubError>, Never>)
    case finished(Result<Answer, HubError>)
  }

  private let state = Mutex(State.open)

  /// The first result counts.
  func finish(_ result: Result<Answer, HubError>) {
    let waiter: UnsafeContinuation<Result<Answer, HubError>, Never>? = state.withLock { state in
      switch state {
      case .finished: return nil
      case .open:
        state = .finished(result)
        return nil
      case .awaited(let waiter):
        state = .finished(result)
        return waiter
      }
    }
    waiter?.resume(returning: result)
  }

  /// The result if it is there already.
  var result: Result<Answer, HubError>? {
    state.withLock { if case .finished(let result) = $0 { result } else { nil } }
  }

  func wait() async -> Result<Answer, HubError> {
    if let result { return result }
    return await withUnsafeContinuation { waiter in
      let result: Result<Answer, HubError>? = state.withLock { state in
        if case .finished(let result) = state { return result }
        state = .awaited(waiter)
        return nil
      }
      if let result { waiter.resume(returning: result) }
    }
  }
}
