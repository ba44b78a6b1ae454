// Ties a stream's life to an iterator's: registered when it is made, released with it. It holds no events.

public import HubCore

/// Shared by the copies of one iterator.
@usableFromInline
final class StreamHandle: Sendable {
  private let hub: Hub
  @usableFromInline let stream: EventStream

  /// - Parameters:
  ///   - filter: what the hub leaves out; nil for nothing.
  ///   - timeout: how long the stream waits for a hub that cannot be reached; nil for indefinitely.
  init(
    _ hub: Hub, _ key: Result<WatchKey, HubError>, _ policy: StreamPolicy, _ content: EventStream.Content,
    filter: Result<WatchFilter, HubError>?, timeout: Duration?
  ) {
    switch filter.map({ filter in key.flatMap { key in filter.map { (key, hub.filtered(by: $0)) } } })
      ?? key.map({ ($0, hub) })
    {
    case .success((let key, let hub)):
      self.hub = hub
      stream = EventStream(key: key, policy: policy, content: content)
      let limit = timeout.map { ($0, hub.driver.now) }
      hub.driver.withCore { [stream] core, effects in
        core.open(stream, &effects)
        if let (timeout, now) = limit { core.limit(stream, to: timeout, now: now) }
      }
    case .failure(let error):
      self.hub = hub
      stream = EventStream(error)
    }
  }

  deinit { close() }

  @usableFromInline
  func close() {
    hub.driver.withCore { core, effects in core.close(stream, &effects) }
  }

  /// The next event if there is one; nil for a cancelled task.
  @usableFromInline
  func take() throws(HubError) -> EventStream.Step {
    let step = try stream.take()
    guard case .event = step, Task.isCancelled else { return step }
    close()
    return .ended
  }

  /// The next event with the freshness, or the freshness alone if only that has changed; nil once the task is cancelled
  /// or after an error.
  func nextTurn(
    isolation actor: isolated (any Actor)?
  ) async throws(HubError) -> (event: SharedEvent?, freshness: Freshness)? {
    while !Task.isCancelled {
      switch try stream.takeTurn() {
      case .news(let event, let freshness): return (event, freshness)
      case .ended: return nil
      case .nothingYet: await wait(isolation: actor)
      }
    }
    close()
    return nil
  }

  /// Returns once there is something to take, or soon after the task was cancelled.
  @inlinable @inline(__always)
  func wait(isolation actor: isolated (any Actor)?) async {
    // Naming the actor keeps both on it; otherwise the task would leave it and return for every event.
    await withTaskCancellationHandler(
      operation: { await withUnsafeContinuation(isolation: actor) { stream.park($0) } },
      onCancel: { close() }, isolation: actor)
  }

  /// The next event; nil once the task is cancelled or after an error.
  ///
  /// Inlined into the iterating loop: every call of an asynchronous function costs as much as several of these lines,
  /// and a return to a caller of unknown type costs more.
  @inlinable @inline(__always)
  func next(isolation actor: isolated (any Actor)?) async throws(HubError) -> SharedEvent? {
    while true {
      switch try take() {
      case .event(let event): return event
      case .ended: return nil
      case .nothingYet: await wait(isolation: actor)
      }
    }
  }
}
