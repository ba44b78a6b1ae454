// Following one store: its values, and everything that happens to it, as asynchronous sequences.

public import HubCore

extension SharedValue {
  /// The current value, then each newer one; a slow iteration gets only the newest.
  ///
  ///     for try await volume in hub.value("audio.volume", of: Double.self).values { … }
  ///
  /// While there is no such store, or no hub, the iteration waits: see `ValueSequence.timeout(_:)`. It ends when its
  /// task is cancelled, or with an error that waiting cannot fix: `unsupportedVersion`, `denied`, `invalidName`,
  /// `quota`, `closed`. After `undecodable`, which reports that the store holds something other than a `Value`, you
  /// can continue by asking for the next one.
  ///
  /// Any number of iterations share one watch; each has its own queue. An iteration is registered from the moment its
  /// iterator is made.
  public var values: ValueSequence<Value> { values(.latest()) }

  /// The current value, then as many of the newer ones as the policy keeps.
  public func values(_ policy: StreamPolicy) -> ValueSequence<Value> {
    ValueSequence(value: self, policy: policy)
  }

  /// The current value, then newer ones, at most one per interval and only those that the hub lets through:
  ///
  ///     for try await level in level.values(atMost: .milliseconds(100), by: 0.5) { … }
  ///     for try await load in load.values(when: .greater(0.9)) { isBusy = load > 0.9 }
  ///
  /// The hub leaves the others out, so they cost neither the hub nor this process anything. The first value arrives at
  /// once, and the last one always arrives, at the latest when its interval ends; `by` never leaves out the store's
  /// initial value. With `when` alone, every time that the condition becomes true or false counts, however short. With
  /// `by` and `when`, both must let a value through. Iterations with the same filter share a separate connection.
  ///
  /// - Parameters:
  ///   - interval: the minimum time between values, 1 ms to 24 h.
  ///   - deadband: the least difference from the previous number for a number to be sent: `0.5`, `.percent(5)`.
  ///   - condition: values arrive when it becomes true and when it stops being true: `.greater(80)`,
  ///     `.equal("on", "standby")`, `.present`.
  public func values(
    atMost interval: Duration? = nil, by deadband: Deadband? = nil, when condition: WatchCondition? = nil
  ) -> ValueSequence<Value> {
    with(values(condition == nil ? .latest() : .every())) { $0.filter = .init(interval, deadband, condition) }
  }

  /// The events of `events` that the hub lets through, as described at `values(atMost:by:when:)`; `skipped` counts the
  /// changes that were left out. The removal of the store is never left out. With a deadline the hub adds one: the state
  /// of a store that was not written for that long, with `isOverdue`, until the next write:
  ///
  ///     for try await event in level.events(deadline: .seconds(5)) { isStale = event.isOverdue }
  ///
  /// A write of an equal value counts as written, although it changes nothing. The time begins with the first event on a
  /// connection, and with each write. What a filter leaves out counts as written as well.
  ///
  /// - Parameter deadline: how long the store may stay unwritten, 1 ms to 24 h.
  public func events(
    atMost interval: Duration? = nil, by deadband: Deadband? = nil, when condition: WatchCondition? = nil,
    deadline: Duration? = nil
  ) -> ValueEventSequence<Value> {
    with(events(condition == nil ? .latest() : .every())) {
      $0.filter = .init(interval, deadband, condition, deadline)
    }
  }

  /// The events of the store: its current value (`initial`), `synced`, its changes and removals, and what a lost
  /// connection means for them (`resumed`, `reset`). A slow iteration gets only the newest change. Each event carries
  /// the freshness of the last value; if only that changes, the event is `freshness`.
  public var events: ValueEventSequence<Value> { events(.latest()) }

  /// The events of the store, up to as many as the policy keeps.
  public func events(_ policy: StreamPolicy) -> ValueEventSequence<Value> {
    ValueEventSequence(value: self, policy: policy)
  }
}

extension Result where Success == WatchFilter, Failure == HubError {
  init(
    _ interval: Duration?, _ deadband: Deadband?, _ condition: WatchCondition?, _ deadline: Duration? = nil
  ) {
    self.init { () throws(HubError) in
      try WatchFilter(atMost: interval, by: deadband, when: condition, deadline: deadline)
    }
  }
}

/// The current and all future values of one store.
public struct ValueSequence<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Value
  public typealias Failure = HubError

  let value: SharedValue<Value>
  let policy: StreamPolicy
  var filter: Result<WatchFilter, HubError>?
  var timeout: Duration?

  /// The same values, but the iteration ends with an error once the hub has been unreachable, or has not answered, for
  /// this long.
  ///
  ///     for try await volume in volume.values.timeout(.seconds(15)) { … }
  ///
  /// The time counts from when the connection was lost, or from the beginning of the iteration if that is later, until
  /// the hub has accepted the connection and the watch again. Events that are waiting are delivered before the error,
  /// whose code gives the reason: `noHub`, `connectionLost`, `denied`, `timeout`. Without a time-out an iteration
  /// waits indefinitely.
  public func timeout(_ timeout: Duration) -> Self { with(self) { $0.timeout = timeout } }

  /// Registers with the watch immediately: no later event is missed. Releasing or cancelling it ends the registration.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      stream: StreamHandle(value.hub, value.place.key, policy, .values, filter: filter, timeout: timeout),
      codec: value.codec)
  }

  /// For one task at a time.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let stream: StreamHandle
    @usableFromInline let codec: ValueCodec<Value>

    init(stream: StreamHandle, codec: ValueCodec<Value>) {
      self.stream = stream
      self.codec = codec
    }

    /// Like `next(isolation:)`, on the caller's actor.
    @inlinable @inline(__always)
    public mutating func next() async throws(HubError) -> Value? { try await next(isolation: #isolation) }

    /// The next value; nil once the task is cancelled. Waiting takes no thread; only one task may wait at a time.
    @inlinable @inline(__always)
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(HubError) -> Value? {
      while let event = try await stream.next(isolation: actor) {
        if let value = try event.value(codec) { return value }
      }
      return nil
    }
  }
}

/// The events of one store.
public struct ValueEventSequence<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = ValueEvent<Value>
  public typealias Failure = HubError

  let value: SharedValue<Value>
  let policy: StreamPolicy
  var filter: Result<WatchFilter, HubError>?
  var timeout: Duration?
  /// If false, every event's freshness is `unknown`, and providers are not followed.
  package var tellsFreshness = true

  /// The same events, with the time-out of `ValueSequence.timeout(_:)`.
  public func timeout(_ timeout: Duration) -> Self { with(self) { $0.timeout = timeout } }

  /// Registers with the watch immediately: no later event is missed. Releasing or cancelling it ends the registration.
  public func makeAsyncIterator() -> Iterator {
    let content: EventStream.Content = tellsFreshness ? .eventsAndFreshness : .events
    return Iterator(
      stream: StreamHandle(value.hub, value.place.key, policy, content, filter: filter, timeout: timeout),
      codec: value.codec)
  }

  /// For one task at a time.
  public struct Iterator: AsyncIteratorProtocol {
    let stream: StreamHandle
    let codec: ValueCodec<Value>
    /// The event that was delivered before.
    private var last: Bookmark?

    init(stream: StreamHandle, codec: ValueCodec<Value>) {
      self.stream = stream
      self.codec = codec
    }

    /// Like `next(isolation:)`, on the caller's actor.
    public mutating func next() async throws(HubError) -> ValueEvent<Value>? {
      try await next(isolation: #isolation)
    }

    /// The next event; nil once the task is cancelled. Waiting takes no thread; only one task may wait at a time.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(HubError) -> ValueEvent<Value>? {
      guard let (event, freshness) = try await stream.nextTurn(isolation: actor) else { return nil }
      guard let event else { return ValueEvent(freshness, after: last) }
      last = Bookmark(epoch: event.event.epoch, revision: event.event.revision)
      return try ValueEvent(event, codec, freshness)
    }
  }
}

func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
  var copy = value
  change(&copy)
  return copy
}
