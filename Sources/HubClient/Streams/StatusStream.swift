// One iteration of a Hub's status: the newest status that the reader has not taken, or the task that waits for one.

internal import Synchronization

/// Filled by the client's core, emptied by one task.
final class StatusStream: Sendable {
  private enum State {
    /// Taken: the core has nothing newer.
    case seen
    case awaited(EventStream.Waiter)
    case news(HubStatus)
    case ended
  }

  private let state = Mutex(State.seen)

  /// - Returns: the waiter to wake.
  func push(_ status: HubStatus) -> EventStream.Waiter? {
    replace(by: .news(status))
  }

  /// Ends the stream at once.
  ///
  /// - Returns: the waiter to wake.
  func close() -> EventStream.Waiter? { replace(by: .ended) }

  private func replace(by next: State) -> EventStream.Waiter? {
    state.withLock { state in
      if case .ended = state { return nil }
      defer { state = next }
      return if case .awaited(let waiter) = state { waiter } else { nil }
    }
  }

  enum Step {
    case status(HubStatus)
    case ended
    case nothingYet
  }

  /// The newest status, without waiting. After `closed` the stream has ended.
  func take() -> Step {
    state.withLock { state in
      switch state {
      case .news(let status):
        state = status == .closed ? .ended : .seen
        return .status(status)
      case .ended: return .ended
      case .seen, .awaited: return .nothingYet
      }
    }
  }

  /// Suspends a task until there is something to take.
  func park(_ waiter: EventStream.Waiter) {
    let isReady = state.withLock { state in
      switch state {
      case .seen:
        state = .awaited(waiter)
        return false
      case .awaited:
        preconditionFailure("two tasks are iterating over one status: make an iterator for each task")
      case .news, .ended: return true
      }
    }
    if isReady { waiter.resume() }
  }
}

/// Ties a stream's life to an iterator's. Shared by the copies of one iterator.
final class StatusHandle: Sendable {
  private let hub: Hub
  private let stream = StatusStream()

  init(_ hub: Hub) {
    self.hub = hub
    hub.driver.withCore { [stream] core, effects in core.open(stream, &effects) }
  }

  deinit { close() }

  private func close() {
    hub.driver.withCore { [stream] core, effects in core.close(stream, &effects) }
  }

  func next(isolation actor: isolated (any Actor)?) async -> HubStatus? {
    while !Task.isCancelled {
      switch stream.take() {
      case .status(let status): return status
      case .ended: return nil
      case .nothingYet: break
      }
      await withTaskCancellationHandler(
        operation: { await withUnsafeContinuation(isolation: actor) { stream.park($0) } },
        onCancel: { close() }, isolation: actor)
    }
    close()
    return nil
  }
}
