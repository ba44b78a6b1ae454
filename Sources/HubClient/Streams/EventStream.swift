// One iteration of a watch: its waiting events, or its waiting task. It does not decode values.

internal import HubCore
internal import HubSystem
internal import Synchronization

/// Filled by the client's core, emptied by one task.
@usableFromInline
final class EventStream: Sendable {
  enum Content: Sendable {
    /// Everything.
    case events
    /// Everything about one store, with the freshness of its value.
    case eventsAndFreshness
    /// Values only, each once, without removals and markers.
    case values
  }

  /// A task that waits for the next event of its stream.
  @usableFromInline typealias Waiter = UnsafeContinuation<Void, Never>

  /// First, and small: with a thousand streams every change touches each, so a stream that keeps up fits a cache line.
  private let state: Mutex<State>
  let content: Content
  let policy: StreamPolicy
  let key: WatchKey

  private struct State {
    /// While a task waits, nothing is queued. The task takes its event when it runs; by then there may be a newer one.
    var waiter: Waiter?
    /// The one event that is queued, while it is the only one.
    var only: SharedEvent?
    var end = End.open
    /// Allocated for the second waiting event, and for freshness.
    var backlog: Backlog?

    var isEmpty: Bool { only == nil && backlog?.queue.isEmpty ?? true }
    /// There is something to take.
    var hasNews: Bool { !isEmpty || backlog?.isTurned ?? false }

    mutating func next() -> SharedEvent? {
      if let only = only.take() { return only }
      return backlog?.queue.pop().map { SharedEvent($0) }
    }

    mutating func append(_ shared: SharedEvent, _ policy: StreamPolicy, isSingle: Bool) {
      if isEmpty {
        only = shared
        return
      }
      let backlog = backlog(policy, isSingle: isSingle)
      if let only = only.take() { backlog.queue.push(only.event) }
      backlog.queue.push(shared.event)
    }

    mutating func backlog(_ policy: StreamPolicy, isSingle: Bool) -> Backlog {
      let backlog = self.backlog ?? Backlog(EventQueue(policy, isSingle: isSingle))
      self.backlog = backlog
      return backlog
    }
  }

  /// A separately allocated queue. Only its stream's state refers to it, and uses it under its lock.
  private final class Backlog {
    var queue: EventQueue
    /// The current freshness: it is not queued. The next event carries it.
    var freshness = Freshness.unknown
    /// What was last reported.
    var told = Freshness.unknown
    /// No event has carried it yet.
    var isTurned = false

    init(_ queue: EventQueue) { self.queue = queue }
  }

  private enum End {
    case open
    /// Failed; the error is delivered after what is queued.
    indirect case failed(HubError)
    /// Nothing more follows, not even queued events.
    case closed
  }

  init(key: WatchKey, policy: StreamPolicy, content: Content) {
    self.key = key
    self.policy = policy
    self.content = content
    state = Mutex(State())
  }

  /// A stream with only an error.
  convenience init(_ error: HubError) {
    self.init(key: WatchKey([]), policy: .latest(), content: .events)
    _ = fail(error)
  }

  // MARK: The core's side

  /// - Returns: the waiter to wake.
  func push(_ shared: SharedEvent) -> Waiter? {
    // Values that a `reset` repeats were already shown.
    if content == .values, shared.event.value == nil || shared.event.isRepeat { return nil }
    return state.withLock { state in
      guard case .open = state.end else { return nil }
      state.append(shared, policy, isSingle: key.isSingle)
      return state.waiter.take()
    }
  }

  /// The freshness has changed. Unknown freshness is not reported: the stream keeps the last one.
  ///
  /// - Returns: the waiter to wake.
  func turn(_ freshness: Freshness) -> Waiter? {
    if freshness == .unknown { return nil }
    return state.withLock { state in
      guard case .open = state.end else { return nil }
      let backlog = state.backlog(policy, isSingle: key.isSingle)
      if backlog.freshness == freshness { return nil }
      (backlog.freshness, backlog.isTurned) = (freshness, true)
      return state.waiter.take()
    }
  }

  /// Ends the stream after what is queued. The first failure counts.
  ///
  /// - Returns: the waiter to wake.
  func fail(_ error: HubError) -> Waiter? {
    state.withLock { state in
      guard case .open = state.end else { return nil }
      state.end = .failed(error)
      return state.waiter.take()
    }
  }

  /// Ends the stream at once.
  ///
  /// - Returns: the waiter to wake.
  func close() -> Waiter? {
    state.withLock { state in
      state.end = .closed
      state.only = nil
      state.backlog = nil
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

  /// A step of a stream with freshness.
  enum Turn: Sendable {
    /// With the next event, or without one if only the freshness has changed.
    case news(SharedEvent?, Freshness)
    case ended
    case nothingYet
  }

  /// The next event, without waiting.
  ///
  /// - Throws: the error that the stream failed with, once.
  @usableFromInline
  func take() throws(HubError) -> Step {
    try state.withLock { state throws(HubError) in
      if let event = state.next() { return .event(event) }
      switch state.end {
      case .open: return .nothingYet
      case .closed: return .ended
      case .failed(let error):
        state.end = .closed
        throw error
      }
    }
  }

  /// As `take`, with the freshness.
  func takeTurn() throws(HubError) -> Turn {
    let step = try take()
    let (freshness, isTurned) = state.withLock { state in
      guard let backlog = state.backlog else { return (Freshness.unknown, false) }
      // Only the last waiting event can be live: a newer value follows the others.
      if backlog.freshness == .live, !state.isEmpty { return (backlog.told, false) }
      defer { (backlog.told, backlog.isTurned) = (backlog.freshness, false) }
      return (backlog.freshness, backlog.isTurned && backlog.told != backlog.freshness)
    }
    return switch step {
    case .event(let event): .news(event, freshness)
    case .nothingYet: isTurned ? .news(nil, freshness) : .nothingYet
    case .ended: .ended
    }
  }

  /// Suspends a task until there is something to take, or the stream has ended.
  @usableFromInline
  func park(_ waiter: Waiter) {
    let isReady = state.withLock { state in
      precondition(
        state.waiter == nil, "two tasks are iterating over one stream: make an iterator for each task")
      if !state.hasNews, case .open = state.end {
        state.waiter = waiter
        return false
      }
      return true
    }
    if isReady { waiter.resume() }
  }
}

/// How many steps ahead the loop asks.
enum Prefetching {
  static let streams = 8
  static let tasks = 6
}

extension EventStream {
  /// What `push` touches.
  func prefetch() { Processor.prefetch(Unmanaged.passUnretained(self).toOpaque(), count: 64) }
}

extension UnsafeContinuation {
  /// What resuming and running the task touches: its record, which a continuation points to, and the frames after it.
  func prefetch() { Processor.prefetch(unsafeBitCast(self, to: UnsafeRawPointer.self), count: 896) }
}
