// Ties a stream's life to an iterator's: registered when it is made, released with it. It holds no events.

internal import HubCore

/// Shared by the copies of one iterator.
final class StreamHandle: Sendable {
  private let hub: Hub
  /// Or why there is none.
  private let stream: Result<EventStream, HubError>

  init(_ hub: Hub, _ key: Result<WatchKey, HubError>, _ policy: StreamPolicy, _ content: EventStream.Content)
  {
    self.hub = hub
    stream = key.map { EventStream(key: $0, policy: policy, content: content) }
    if case .success(let stream) = stream {
      hub.driver.withCore { core, effects in core.open(stream, &effects) }
    }
  }

  deinit { close() }

  private func close() {
    if case .success(let stream) = stream {
      hub.driver.withCore { core, effects in core.close(stream, &effects) }
    }
  }

  /// The next event; nil once the task is cancelled or after an error.
  func next() async throws(HubError) -> SharedEvent? {
    let stream = try stream.get()
    while true {
      if Task.isCancelled {
        close()
        return nil
      }
      switch stream.take() {
      case .event(let event): return event
      case .ended: return nil
      case .failed(let error): throw error
      case .nothingYet: break
      }
      await withTaskCancellationHandler {
        await stream.wait()
      } onCancel: {
        close()
      }
    }
  }
}
