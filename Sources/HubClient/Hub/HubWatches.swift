// Following many stores by patterns: their events, and consistent views of all of them together.

public import HubCore

extension Hub {
  /// The events of all matching stores: the current values (`initial`), pattern by pattern; `synced`; then changes,
  /// new stores and removals.
  ///
  /// At every `synced` the events delivered so far add up to a state that the hub was in. A `synced` follows every
  /// batch of several stores and every transaction, but not a single change. For consistent states only, iterate over
  /// `views`.
  ///
  /// The iteration ends like that of `SharedValue.values`, and also with `invalidPattern`.
  ///
  /// - Parameters:
  ///   - patterns: names and globs, for example `audio.*` or `**.level`; a store that matches several is reported once.
  ///   - policy: what to keep for an iteration that falls behind, for each store or in total.
  public func watch(_ patterns: String..., policy: StreamPolicy = .latest()) -> WatchSequence {
    WatchSequence(hub: self, patterns: patterns, policy: policy)
  }
}

extension WatchSequence {
  /// The events that the hub lets through, as described at `SharedValue.values(atMost:by:when:)`: at most one batch per
  /// interval, with the newest value of each changed store; and those that it adds for a deadline, as described at
  /// `SharedValue.events(atMost:by:when:deadline:)`. With a deadband, the values of a view may differ from
  /// those at its revision by less than the deadband; with a condition, they meet it if those at its revision do.
  public func filtered(
    atMost interval: Duration? = nil, by deadband: Deadband? = nil, when condition: WatchCondition? = nil,
    deadline: Duration? = nil
  ) -> Self {
    with(self) { $0.filter = .init(interval, deadband, condition, deadline) }
  }
}

/// The events of all stores that match some patterns.
public struct WatchSequence: AsyncSequence, Sendable {
  public typealias Element = StoreEvent
  public typealias Failure = HubError

  let hub: Hub
  let patterns: [String]
  let policy: StreamPolicy
  var filter: Result<WatchFilter, HubError>?
  var timeout: Duration?

  /// The stores' values together as of one revision: the current state, then the state after each change and each
  /// transaction. A slow iteration skips some of them.
  public var views: HubViewSequence { HubViewSequence(watch: self) }

  /// The same events, with the time-out of `ValueSequence.timeout(_:)`, which also applies to `views`.
  public func timeout(_ timeout: Duration) -> Self { with(self) { $0.timeout = timeout } }

  /// Registers with the watch immediately: no later event is missed. Releasing or cancelling it ends the registration.
  public func makeAsyncIterator() -> Iterator { Iterator(stream: handle(policy)) }

  fileprivate func handle(_ policy: StreamPolicy) -> StreamHandle {
    let key = Result { () throws(HubError) in
      var parsed: [NamePattern] = []
      for pattern in patterns { parsed.append(try NamePattern(pattern)) }
      if parsed.isEmpty { throw HubError(.invalidPattern, "a watch needs at least one store or pattern") }
      return WatchKey(parsed)
    }
    return StreamHandle(hub, key, policy, .events, filter: filter, timeout: timeout)
  }

  /// For one task at a time.
  public struct Iterator: AsyncIteratorProtocol {
    let stream: StreamHandle

    /// Like `next(isolation:)`, on the caller's actor.
    public mutating func next() async throws(HubError) -> StoreEvent? {
      try await next(isolation: #isolation)
    }

    /// The next event; nil once the task is cancelled. Waiting takes no thread; only one task may wait at a time.
    ///
    /// - Throws: `HubError`, once; after that, `next` returns nil.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(HubError) -> StoreEvent? {
      try await stream.next(isolation: actor)?.event
    }
  }
}

/// The values of some stores at one revision.
public struct HubView: Hashable, Sendable {
  /// The revision at which the hub had these values together.
  public var revision: Revision
  /// The epoch of `revision`.
  public var epoch: Hub.Epoch
  /// The values by store name.
  public var values: [String: HubValue]

  /// The value of a store, as the program's own type; nil if there is no such store.
  ///
  /// - Throws: `undecodable`.
  public func value<Value: Codable & Sendable>(
    _ name: String, of type: Value.Type = Value.self
  ) throws(HubError) -> Value? {
    guard let value = values[name] else { return nil }
    return try ValueCodec<Value>.best().decode(value, of: name)
  }
}

/// Consistent views of all stores that match some patterns.
public struct HubViewSequence: AsyncSequence, Sendable {
  public typealias Element = HubView
  public typealias Failure = HubError

  var watch: WatchSequence

  /// As many events as may wait before some are conflated.
  private static let limit = 1024

  /// The same views, with the time-out of `ValueSequence.timeout(_:)`.
  public func timeout(_ timeout: Duration) -> Self { with(self) { $0.watch.timeout = timeout } }

  /// Registers with the watch immediately, asking for every change. The iteration keeps a copy of all values.
  public func makeAsyncIterator() -> Iterator {
    // Only single changes indicate a state that existed without a `synced` after them.
    Iterator(stream: watch.handle(.every(limit: HubViewSequence.limit)))
  }

  /// For one task at a time.
  public struct Iterator: AsyncIteratorProtocol {
    let stream: StreamHandle
    private var values: [String: HubValue] = [:]
    /// Whether there was an event since the last view. A `synced` after a single change, or after a lost connection,
    /// adds nothing.
    private var hasNews = true

    init(stream: StreamHandle) { self.stream = stream }

    /// Like `next(isolation:)`, on the caller's actor.
    public mutating func next() async throws(HubError) -> HubView? { try await next(isolation: #isolation) }

    /// The next state that the hub was in; nil once the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(HubError) -> HubView? {
      while let event = try await stream.next(isolation: actor)?.event {
        switch event.kind {
        case .initial, .changed: values[event.name] = event.value
        case .removed: values[event.name] = nil
        case .reset: values = [:]
        case .resumed, .synced: break
        }
        if event.kind.isAboutStore || event.kind == .reset { hasNews = true }
        if hasNews, event.kind == .synced || event.isWhole {
          hasNews = false
          return HubView(revision: event.revision, epoch: event.epoch, values: values)
        }
      }
      return nil
    }
  }
}

extension StoreEvent {
  /// The value as the program's own type; nil if the event has none.
  ///
  /// - Throws: `undecodable`.
  public func value<Value: Codable & Sendable>(as type: Value.Type) throws(HubError) -> Value? {
    guard let value else { return nil }
    return try ValueCodec<Value>.best().decode(value, of: name)
  }
}
