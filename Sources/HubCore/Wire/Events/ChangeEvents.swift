// The fields that frames about a store share (`change`, `created`, `removed`, `current`, and the reply `value`), and `synced`.

/// The fields that all frames about a store share.
@usableFromInline package enum EventLayout {
  @inlinable @inline(__always) package static var uid: Field<UInt32> { Field(at: Frame.headerLength) }
  @inlinable @inline(__always) package static var store: Field<UInt64> { Field(behind: uid) }
  @inlinable @inline(__always) package static var revision: Field<Revision> { Field(behind: store) }
  @inlinable @inline(__always) package static var version: Field<UInt64> { Field(behind: revision) }
  @inlinable @inline(__always) package static var time: Field<Int64> { Field(behind: version) }
  @inlinable @inline(__always) package static var body: Int { time.end }
  /// The length of these fields.
  @inlinable @inline(__always) package static var length: Int { body - Frame.headerLength }

  @inlinable package static var more: UInt8 { 1 << 0 }
  @inlinable package static var grouped: UInt8 { 1 << 1 }
  @inlinable package static var transient: UInt8 { 1 << 2 }
  static let withdrawn: UInt8 = 1 << 3
  package static let overdue: UInt8 = 1 << 4
  package static let written: UInt8 = 1 << 5

  static func flags(_ grouped: Bool, _ more: Bool) -> UInt8 {
    (grouped ? EventLayout.grouped : 0) | (more ? EventLayout.more : 0)
  }

  /// The flags that `current` has for it.
  package static func flags(_ silence: Silence?) -> UInt8 {
    switch silence {
    case .begun: overdue
    case .ended: written
    case nil: 0
    }
  }

  package static func silence(_ flags: UInt8) -> Silence? {
    flags & overdue != 0 ? .begun : flags & written != 0 ? .ended : nil
  }

  /// Writes the fields of the frame at `frame`.
  @inlinable @inline(__always)
  package static func write(
    to frame: UnsafeMutableRawPointer, _ uid: UInt32, _ id: StoreID, _ revision: Revision, _ version: UInt64,
    _ time: Int64
  ) {
    EventLayout.uid.write(uid, to: frame)
    EventLayout.store.write(id.raw, to: frame)
    EventLayout.revision.write(revision, to: frame)
    EventLayout.version.write(version, to: frame)
    EventLayout.time.write(time, to: frame)
  }

  /// The revision in a whole frame about a store, or in a `synced`.
  @inlinable @inline(__always)
  package static func revision(of frame: FrameView) -> Revision {
    frame.bytes[frame.rawKind == EventKind.synced.rawValue ? SyncedLayout.revision : revision]
  }

  /// The version in a whole frame of a store's value; nil in any other frame.
  @inlinable package static func version(of frame: FrameView) -> UInt64? {
    switch EventKind(rawValue: frame.rawKind) {
    case .change, .created, .current: frame.bytes.count >= body ? frame.bytes[version] : nil
    case .removed, .synced, .resumed, .forget, .ended, .forward, .withdraw, .ask, nil: nil
    }
  }
}

@usableFromInline package enum SyncedLayout {
  @inlinable @inline(__always) package static var revision: Field<Revision> { Field(at: Frame.headerLength) }
  @inlinable @inline(__always) package static var end: Int { revision.end }
}

extension HubEvent {
  /// A removal: a change without a value.
  public struct Removal: Hashable, Sendable {
    /// The number of the removed store.
    public var id: StoreID
    /// The hub's revision at the removal.
    public var revision: Revision
    /// The number of the store's changes, the removal included.
    public var version: UInt64
    /// The time of the removal, in nanoseconds since 1970.
    public var time: Int64
    /// The user who removed it.
    public var uid: UInt32
    /// The store exists, but the access rules no longer let the client read it.
    public var isWithdrawn = false

    package init(id: StoreID, revision: Revision, version: UInt64, time: Int64, uid: UInt32) {
      self.id = id
      self.revision = revision
      self.version = version
      self.time = time
      self.uid = uid
    }
  }
}

extension HubEvent.Removal {
  init?(reading reader: inout ByteReader) {
    let fields = reader.bytes(EventLayout.length)
    if reader.failed { return nil }
    func value<Value>(_ field: Field<Value>) -> Value { fields.load(at: field.offset - Frame.headerLength) }
    self.init(
      id: StoreID(raw: value(EventLayout.store)), revision: value(EventLayout.revision),
      version: value(EventLayout.version), time: value(EventLayout.time), uid: value(EventLayout.uid))
  }

  func state(_ value: Value) -> StoreState {
    StoreState(id: id, revision: revision, version: version, time: time, uid: uid, value: value)
  }
}

extension OutputBuffer {
  mutating func append(_ removal: HubEvent.Removal) {
    appendPrefix(removal.uid, removal.id, removal.revision, removal.version, removal.time)
  }

  package mutating func appendCreation(_ name: String, _ schema: Schema, _ state: StoreState) {
    appendPrefix(of: state)
    append(short: name)
    append(schema)
    append(state.value)
  }

  mutating func appendPrefix(of state: StoreState) {
    appendPrefix(state.uid, state.id, state.revision, state.version, state.time)
  }

  /// The fields that all frames about a store share, after a header that was begun.
  @inlinable @inline(__always)
  package mutating func appendPrefix(
    _ uid: UInt32, _ id: StoreID, _ revision: Revision, _ version: UInt64, _ time: Int64
  ) {
    let frame = extend(EventLayout.length) - Frame.headerLength
    EventLayout.write(to: frame, uid, id, revision, version, time)
  }
}
