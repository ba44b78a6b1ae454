// A store's value at one moment, and what happened to it, with the value as the program's own type.

public import HubCore

/// A value together with its position in its store's history.
public struct StoredValue<Value: Sendable>: Sendable {
  /// The value as the program's own type.
  public var value: Value
  /// The hub's revision at the store's last change.
  public var revision: Revision
  /// The epoch of `revision`.
  public var epoch: Hub.Epoch
  /// How many changes the store has had.
  public var version: UInt64
  /// When the last change was made, in nanoseconds since 1970.
  public var time: Int64
  /// The user who made it.
  public var uid: UInt32
}

/// What can happen to a value. `StoreEvent.Kind` explains the first six.
public enum ValueEventKind: Hashable, Sendable, CaseIterable {
  case initial, changed, removed, resumed, synced, reset
  /// Only the `freshness` has changed: the store got or lost its provider, the hub cannot be reached, or the hub is
  /// back and everything that happened in the meantime was delivered.
  case freshness

  init(_ kind: StoreEvent.Kind) {
    self =
      switch kind {
      case .initial: .initial
      case .changed: .changed
      case .removed: .removed
      case .resumed: .resumed
      case .synced: .synced
      case .reset: .reset
      }
  }
}

/// One event of a `SharedValue`.
public struct ValueEvent<Value: Sendable>: Sendable {
  /// What can happen to the value.
  public typealias Kind = ValueEventKind

  /// What happened.
  public var kind: Kind
  /// The value, with `initial` and `changed`.
  public var value: Value?
  /// The freshness of the last value when the event is taken; `live` only with the last waiting event. With the first
  /// values it is `unknown`, until the `synced` that follows them.
  public var freshness: Freshness
  /// The hub's revision at the change; with `synced` and `resumed`, the revision up to which everything was delivered;
  /// with `freshness`, that of the previous event.
  public var revision: Revision
  /// The epoch of `revision`; all zeros with a `freshness` that precedes all other events.
  public var epoch: Hub.Epoch
  /// How many changes of the store came between the previously delivered event and this one; nil if unknown.
  public var skipped: UInt64?
  /// When the change was made, in nanoseconds since 1970; 0 with `resumed`, `synced`, `reset` and `freshness`.
  public var time: Int64
  /// The user who made it.
  public var uid: UInt32
  /// In events with a deadline: the store has not been written for that long.
  public var isOverdue = false

  init(_ shared: SharedEvent, _ codec: ValueCodec<Value>, _ freshness: Freshness) throws(HubError) {
    let event = shared.event
    kind = Kind(event.kind)
    value = try shared.value(codec)
    self.freshness = freshness
    revision = event.revision
    epoch = event.epoch
    skipped = event.skipped
    time = event.time
    uid = event.uid
    isOverdue = event.isOverdue
  }
}

extension ValueEvent {
  /// Only the freshness has changed.
  init(_ freshness: Freshness, after last: Bookmark?) {
    kind = .freshness
    self.freshness = freshness
    revision = last?.revision ?? 0
    epoch = last?.epoch ?? Epoch(high: 0, low: 0)
    skipped = 0
    time = 0
    uid = 0
  }
}

extension StoredValue: Equatable where Value: Equatable {}
extension ValueEvent: Equatable where Value: Equatable {}

/// The condition of a write, which fails with `conflict` if it does not hold.
public enum Condition<Value: Sendable>: Sendable {
  case always
  /// There is no such store yet. (A write with this condition, or with `value`, is repeated after a lost connection:
  /// if another process undoes the first attempt in the meantime, the change is made a second time. A write with `revision` never
  /// is.)
  case absent
  /// The store has exactly this value: the same bytes, and the type that `Value` has in the hub. An `Int` never equals
  /// the value of a store of doubles.
  case value(Value)
  /// The store's last change has that revision. Revisions of different epochs cannot be compared, so give the
  /// revision's epoch.
  case revision(Revision, epoch: Hub.Epoch?)

  /// The store has not changed since.
  public static func unchanged(since event: ValueEvent<Value>) -> Condition {
    .revision(event.revision, epoch: event.epoch)
  }

  /// The store has not changed since.
  public static func unchanged(since stored: StoredValue<Value>) -> Condition {
    .revision(stored.revision, epoch: stored.epoch)
  }

  @inlinable
  func encoded(_ codec: ValueCodec<Value>, for store: @autoclosure () -> String) throws(HubError)
    -> WriteCondition
  {
    switch self {
    case .always: .none
    case .absent: WriteCondition(absent: true)
    case .value(let value): WriteCondition(value: try codec.encode(value, for: store()))
    case .revision(let revision, let epoch): WriteCondition(revision: revision, epoch: epoch)
    }
  }
}
