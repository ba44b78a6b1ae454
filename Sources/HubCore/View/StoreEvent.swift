// What a watch reports about its stores, as programs see it: the hub's frames with names, kinds and counts filled in.

/// One event of a watch.
public struct StoreEvent: Hashable, Sendable {
  /// What can happen to a store, or to a watch as a whole.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// A store's value when the watch began, or started over after a `reset`.
    case initial
    /// A store has a new value, or was created with it. With a deadline also: its `isOverdue` has changed.
    case changed
    /// A store was removed. The watch continues.
    case removed
    /// The connection was lost and restored; the changes made in the meantime follow.
    case resumed
    /// Everything delivered so far is the hub's state at exactly `revision`. It is sent even if nothing matches.
    case synced
    /// Forget everything delivered before: the hub no longer knows what happened since, or has lost part of it. All
    /// values follow as `initial`.
    case reset

    /// Whether the event is about one store rather than the whole watch.
    public var isAboutStore: Bool {
      switch self {
      case .initial, .changed, .removed: true
      case .resumed, .synced, .reset: false
      }
    }
  }

  /// What happened.
  public var kind: Kind
  /// The store's name; empty if the event is not about a store.
  public var name: String
  /// The value; nil after a removal, and if the event is not about a store.
  public var value: Value?
  /// The hub's revision at the change; with `synced` and `resumed`, the revision up to which everything was delivered.
  public var revision: Revision
  /// The epoch of `revision`.
  public var epoch: Epoch
  /// The store's own count of its changes.
  public var version: UInt64
  /// How many changes of the store came between the previously delivered event and this one; nil if unknown, because
  /// the history was interrupted. A store that was created and removed unseen is reported as `removed`, with its
  /// changes as skipped.
  public var skipped: UInt64?
  /// When the change was made, in nanoseconds since 1970; 0 if the event is not about a store.
  public var time: Int64
  /// Who made it.
  public var uid: UInt32
  /// With `removed`: the store exists, but the hub's access rules no longer let this user read it.
  public var isWithdrawn = false
  /// In a watch with a deadline: no write has reached the store for that long. The event that ends this has the same
  /// `version` if the write set an equal value.
  public var isOverdue = false
  /// With this event the watch's stores are in the hub's state at `revision`, as after a `synced`.
  package var isWhole = false
  /// No other change of the same revision follows.
  package var isLast = false
  /// Its value was delivered before, and is repeated because of a `reset` or of a deadline.
  package var isRepeat = false
  /// The skipped changes include the removal of another store with that name.
  package var spansRemoval = false

  /// An event for tests.
  public init(
    _ kind: Kind, name: String = "", value: Value? = nil, revision: Revision, epoch: Epoch,
    version: UInt64 = 0, skipped: UInt64? = 0, time: Int64 = 0, uid: UInt32 = 0
  ) {
    self.kind = kind
    self.name = name
    self.value = value
    self.revision = revision
    self.epoch = epoch
    self.version = version
    self.skipped = skipped
    self.time = time
    self.uid = uid
  }
}

extension StoreEvent {
  /// What this event skips once the one before it, of the same store, is not delivered.
  package func skipped(without dropped: StoreEvent) -> UInt64? {
    guard let before = dropped.skipped, let own = skipped else { return nil }
    return before &+ own &+ (dropped.isRepeat || restates(dropped) ? 0 : 1)
  }

  /// Only `isOverdue` may differ.
  package func restates(_ earlier: StoreEvent) -> Bool {
    isRepeat && version == earlier.version && epoch == earlier.epoch && earlier.kind != .removed
  }
}
