// Owns one value of this process and the readers that wait for it to change.
// It never resumes a reader, and never runs a caller's code, while its lock is held.

import Synchronization

/// A value that any number of readers can follow, each at its own pace, from any isolation.
///
/// A reader pulls: it gets the present value first and then the newest one it has not seen. A slow reader skips
/// values (conflation); nothing is buffered, so writers never wait and never fill memory.
public final class CurrentValue<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var version = 1
    var isFinished = false
    var waiters: [Waiter] = []
  }

  private struct Waiter {
    var id: ReaderID
    var continuation: CheckedContinuation<Void, Never>
  }

  private final class ReaderID: Sendable {}

  private let state: Mutex<State>

  /// A value without readers.
  public init(_ value: Value) { state = Mutex(State(value: value)) }

  /// The newest value.
  public var value: Value { state.withLock { $0.value } }

  /// Sets the value and wakes every reader.
  public func set(_ value: Value) { set(value) { _ in true } }

  /// The same, unless the value is equal to the present one.
  package func setIfChanged(_ value: Value) where Value: Equatable { set(value) { $0 != value } }

  private func set(_ value: Value, if isNews: (Value) -> Bool) {
    let woken = state.withLock { state in
      guard isNews(state.value) else { return [Waiter]() }
      state.value = value
      state.version += 1
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in woken { waiter.continuation.resume() }
  }

  /// Ends every reader after it has seen the newest value.
  public func finish() {
    let woken = state.withLock { state in
      state.isFinished = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in woken { waiter.continuation.resume() }
  }

  /// The present value and then each newest one, until ``finish()`` or cancellation.
  public var values: AsyncStream<Value> {
    let seen = Mutex(0)
    return AsyncStream { [self] in
      guard let next = await next(after: seen.withLock { $0 }) else { return nil }
      seen.withLock { $0 = next.version }
      return next.value
    }
  }

  /// The newest value once its version is not `seen`; `nil` at the end, or when the task is cancelled.
  func next(after seen: Int) async -> (value: Value, version: Int)? {
    let id = ReaderID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          let isDue = state.version != seen || state.isFinished || Task.isCancelled
          if !isDue { state.waiters.append(Waiter(id: id, continuation: continuation)) }
          return isDue
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      wake(id)
    }
    return Task.isCancelled ? nil : state.withLock { $0.version == seen ? nil : ($0.value, $0.version) }
  }

  private func wake(_ id: ReaderID) {
    let woken = state.withLock { state in
      state.waiters.firstIndex { $0.id === id }.map { state.waiters.remove(at: $0) }
    }
    woken?.continuation.resume()
  }
}
