// One iteration of a watch: what waits for its task, or the task that waits. It neither decodes values nor knows the hub.

internal import HubCore
internal import Synchronization

/// Filled by the client's core, emptied by one task.
@usableFromInline
final class EventStream: Sendable {
  enum Content: Sendable {
    /// Everything.
    case events
    /// Nothing but values, each of them once: no removals, and none of the markers around them.
    case values
  }

  /// A task that waits for the next event of its stream.
  @usableFromInline typealias Waiter = UnsafeContinuation<Void, Never>

  /// First, and small: of a thousand streams every change touches each, so a stream that keeps up fits a cache line.
  private let state: Mutex<State>
  private let content: Content
  let policy: StreamPolicy
  let key: WatchKey

  private struct State {
    /// While a task waits, nothing is queued. It takes for itself, when it runs: by then there may be something newer.
    var waiter: Waiter?
    /// The one event that is queued, while it is the only one.
    var only: SharedEvent?
    var end = End.open
    /// Made with the second event that is queued at a time.
    var backlog: Backlog?

    var isEmpty: Bool { only == nil && backlog?.queue.isEmpty ?? true }

    mutating func next() -> SharedEvent? {
      if let only = only.take() { return only }
      return backlog?.queue.pop().map { SharedEvent($0) }
    }

    mutating func append(_ shared: SharedEvent, _ policy: StreamPolicy, isSingle: Bool) {
      if isEmpty {
        only = shared
        return
      }
      let backlog = self.backlog ?? Backlog(EventQueue(policy, isSingle: isSingle))
      self.backlog = backlog
      if let only = only.take() { backlog.queue.push(only.event) }
      backlog.queue.push(shared.event)
    }
  }

  /// A queue in a place of its own. Only its stream's state holds it, and touches it under its lock.
  private final class Backlog {
    var queue: EventQueue

    init(_ queue: EventQueue) { self.queue = queue }
  }

  private enum End {
    case open
    /// Behind what is queued comes an error.
    indirect case failed(HubError)
    /// Nothing comes any more, not even what is queued.
    case closed
  }

  init(key: WatchKey, policy: StreamPolicy, content: Content) {
    self.key = key
    self.policy = policy
    self.content = content
    state = Mutex(State())
  }

  /// A stream of nothing but an error.
  convenience init(_ error: HubError) {
    self.init(key: WatchKey([]), policy: .latest(), content: .events)
    _ = fail(error)
  }

  // MARK: The core's side

  /// - Returns: who has to be woken.
  func push(_ shared: SharedEvent) -> Waiter? {
    // What a `reset` brings again was shown.
    if content == .values, shared.event.value == nil || shared.event.isRepeat { return nil }
    return state.withLock { state in
      guard case .open = state.end else { return nil }
      state.append(shared, policy, isSingle: key.isSingle)
      return state.waiter.take()
    }
  }

  /// Ends the stream behind what is queued. The first failure counts.
  ///
  /// - Returns: who has to be woken.
  func fail(_ error: HubError) -> Waiter? {
    state.withLock { state in
      guard case .open = state.end else { return nil }
      state.end = .failed(error)
      return state.waiter.take()
    }
  }

  /// Ends the stream at once.
  ///
  /// - Returns: who has to be woken.
  func close() -> Waiter? {
    state.withLock { state in
      state.end = .closed
      return state.waiter.take()
    }
  }

  // MARK: The iteration's side

  @usableFromInline
  enum Step: Sendable {
    case event(SharedEvent)
    case ended
    case nothingYet
  }

  /// The next event, without waiting.
  ///
  /// - Throws: what the stream has failed with, once.
  @usableFromInline
  func take() throws(HubError) -> Step {
    let step: Result<Step, HubError> = state.withLock { state in
      if case .closed = state.end { return .success(.ended) }
      if let event = state.next() { return .success(.event(event)) }
      guard case .failed(let error) = state.end else { return .success(.nothingYet) }
      state.end = .closed
      return .failure(error)
    }
    return try step.get()
  }

  /// Lets a task wait until there is something to take, or the stream has ended.
  @usableFromInline
  func park(_ waiter: Waiter) {
    let isReady = state.withLock { state in
      precondition(state.waiter == nil, "two tasks iterate one stream: let each make its own iterator")
      if state.isEmpty, case .open = state.end {
        state.waiter = waiter
        return false
      }
      return true
    }
    if isReady { waiter.resume() }
  }
}
