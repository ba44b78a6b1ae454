// One iteration of a watch: its queue, and the task that waits for it. It neither decodes values nor knows the hub.

internal import HubCore
internal import Synchronization

/// Filled by the client's core, emptied by one task.
final class EventStream: Sendable {
  enum Content: Sendable {
    /// Everything.
    case events
    /// Nothing but values, each of them once: no removals, and none of the markers around them.
    case values
  }

  let key: WatchKey
  let policy: StreamPolicy
  private let content: Content
  private let state: Mutex<State>

  private struct State {
    /// The one event that waits, while it is the only one: an iteration that keeps up needs no queue.
    var only: SharedEvent?
    var queue: EventQueue
    var waiter: UnsafeContinuation<Void, Never>?
    /// Nothing more will come; what is queued is still handed out unless the iteration was cancelled.
    var end: Result<Void, HubError>?
  }

  init(key: WatchKey, policy: StreamPolicy, content: Content) {
    self.key = key
    self.policy = policy
    self.content = content
    state = Mutex(State(queue: EventQueue(policy, isSingle: key.isSingle)))
  }

  // MARK: The core's side

  /// - Returns: who has to be woken.
  func push(_ shared: SharedEvent) -> UnsafeContinuation<Void, Never>? {
    // What a `reset` brings again was shown.
    if content == .values, shared.event.value == nil || shared.event.isRepeat { return nil }
    return state.withLock { state in
      guard state.end == nil else { return nil }
      if let only = state.only {
        state.queue.push(only.event)
        state.only = nil
        state.queue.push(shared.event)
      } else if state.queue.isEmpty {
        state.only = shared
      } else {
        state.queue.push(shared.event)
      }
      return state.waiter.take()
    }
  }

  /// Ends the stream: with an error behind what is queued, or at once.
  func end(_ result: Result<Void, HubError>) -> UnsafeContinuation<Void, Never>? {
    state.withLock { state in
      guard state.end == nil else { return nil }
      state.end = result
      return state.waiter.take()
    }
  }

  // MARK: The iteration's side

  enum Step: Sendable {
    case event(SharedEvent)
    case ended
    case failed(HubError)
    case nothingYet
  }

  /// The next event, without waiting.
  func take() -> Step {
    state.withLock { state in
      if case .success = state.end { return .ended }
      if let only = state.only.take() { return .event(only) }
      if let event = state.queue.pop() { return .event(SharedEvent(event)) }
      guard case .failure(let error) = state.end else { return .nothingYet }
      // An error is thrown once.
      state.end = .success(())
      return .failed(error)
    }
  }

  /// Waits until `take` has something.
  func wait() async {
    await withUnsafeContinuation { waiter in
      let isReady = state.withLock { state in
        precondition(state.waiter == nil, "two tasks iterate one stream: let each make its own iterator")
        if state.end != nil || state.only != nil || !state.queue.isEmpty { return true }
        state.waiter = waiter
        return false
      }
      if isReady { waiter.resume() }
    }
  }
}

/// What a watch is shared by: its patterns. Streams with equal keys share one watch of the process.
struct WatchKey: Hashable, Sendable {
  let patterns: [NamePattern]
  private let text: String

  init(_ patterns: [NamePattern]) {
    self.patterns = patterns
    text = patterns.map(\.text).joined(separator: " ")
  }

  init(_ name: StoreName) throws(HubError) { self.init([try NamePattern(name.text)]) }

  /// The one store that is watched.
  var name: String? { isSingle ? text : nil }
  var isSingle: Bool { patterns.count == 1 && patterns[0].isLiteral }

  func matches(_ name: ByteView) -> Bool { patterns.contains { $0.matches(name) } }

  static func == (a: WatchKey, b: WatchKey) -> Bool { a.text == b.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
