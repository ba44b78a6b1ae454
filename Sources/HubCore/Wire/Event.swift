// What the hub tells watchers: the owned values that clients read, and how their frames are written and read.

/// How the hub ended a session on its own account.
public enum EndReason: UInt16, Hashable, Sendable {
  /// The daemon stops. Another one may start.
  case shuttingDown = 1
  /// The client left too much unread while the hub was short of memory.
  case notReading = 2
  /// The byte stream could not be followed.
  case protocolError = 3
}

/// One event on a connection. It concerns every watch of that connection that matches the store.
public enum HubEvent: Hashable, Sendable {
  /// A store has a new value. `grouped`: it is part of a transaction that changed more than one store;
  /// `more`: further frames of the same transaction follow.
  case change(StoreState, grouped: Bool, more: Bool)
  /// A store has come into being, or has a new schema. To watches with `schemas` also what `current` is to others; then
  /// `transient` tells that the value ends by itself, after a time or with a connection.
  case created(
    name: String, Schema, StoreState, grouped: Bool = false, more: Bool = false, transient: Bool = false)
  /// A store has gone. The state holds no value: only who, when and at which revision.
  case removed(name: String, Removal, grouped: Bool, more: Bool)
  /// A store's value as of now, with its name: part of a snapshot, or of catching up.
  case current(name: String, StoreState)
  /// What was sent so far is the hub's state (of the stores that are watched here) at exactly this revision.
  case synced(revision: Revision)
  /// The watch continues at its bookmark: what follows is what changed since.
  case resumed(revision: Revision)
  /// Forget everything that was sent before: a full snapshot follows.
  case forget(Epoch, revision: Revision)
  case ended(EndReason?, message: String)

  public struct Removal: Hashable, Sendable {
    public var id: StoreID
    public var revision: Revision
    public var version: UInt64
    public var time: Int64
    public var uid: UInt32

    public init(id: StoreID, revision: Revision, version: UInt64, time: Int64, uid: UInt32) {
      self.id = id
      self.revision = revision
      self.version = version
      self.time = time
      self.uid = uid
    }
  }
}

/// Where the fields of the answer to a write lie, counted from the frame's start.
enum WrittenLayout {
  static let store = 12
  static let revision = 20
  static let version = 28
  static let durability = 36
  /// The value, if the answer shows it.
  static let body = 37
}

/// Where the fields that all frames about a store share lie, counted from the frame's start.
enum EventLayout {
  static let uid = 12
  static let store = 16
  static let revision = 24
  static let version = 32
  static let time = 40
  static let body = 48
  static let more: UInt8 = 1 << 0
  static let grouped: UInt8 = 1 << 1
  static let transient: UInt8 = 1 << 2

  /// The revision that a whole frame about a store, or a `synced`, tells.
  @inline(__always)
  static func revision(of frame: UnsafeRawPointer) -> Revision {
    let isSynced = frame.load(fromByteOffset: 4, as: UInt8.self) == Frame.Kind.synced.rawValue
    let offset = isSynced ? Frame.headerLength : revision
    return Revision(littleEndian: frame.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension HubEvent {
  public func encode(into out: inout OutputBuffer) {
    switch self {
    case .change(let state, let grouped, let more):
      let start = out.beginFrame(.change, flags: HubEvent.flags(grouped, more))
      out.append(state)
      out.endFrame(start)
    case .created(let name, let schema, let state, let grouped, let more, let transient):
      let start = out.beginFrame(
        .created, flags: HubEvent.flags(grouped, more) | (transient ? EventLayout.transient : 0))
      out.appendPrefix(of: state)
      out.append(short: name)
      out.append(schema)
      out.append(state.value)
      out.endFrame(start)
    case .removed(let name, let removal, let grouped, let more):
      let start = out.beginFrame(.removed, flags: HubEvent.flags(grouped, more))
      out.append(removal.uid)
      out.append(removal.id.raw)
      out.append(removal.revision)
      out.append(removal.version)
      out.append(removal.time)
      out.append(short: name)
      out.endFrame(start)
    case .current(let name, let state):
      let start = out.beginFrame(.current)
      out.appendPrefix(of: state)
      out.append(short: name)
      out.append(state.value)
      out.endFrame(start)
    case .synced(let revision):
      let start = out.beginFrame(.synced)
      out.append(revision)
      out.endFrame(start)
    case .resumed(let revision):
      let start = out.beginFrame(.resumed)
      out.append(revision)
      out.endFrame(start)
    case .forget(let epoch, let revision):
      let start = out.beginFrame(.forget)
      out.append(epoch)
      out.append(revision)
      out.endFrame(start)
    case .ended(let reason, let message):
      let start = out.beginFrame(.ended)
      out.append(reason?.rawValue ?? 0)
      out.append(medium: message)
      out.endFrame(start)
    }
  }

  private static func flags(_ grouped: Bool, _ more: Bool) -> UInt8 {
    (grouped ? EventLayout.grouped : 0) | (more ? EventLayout.more : 0)
  }

  /// - Throws: `HubError` with `malformed` or `unknownKind`.
  public init(decoding frame: FrameView) throws(HubError) {
    guard let kind = frame.kind, kind.isEvent else {
      throw HubError(.unknownKind, "kind \(frame.rawKind) is no event of this version")
    }
    var reader = ByteReader(frame.payload)
    guard let event = HubEvent(kind, flags: frame.flags, reading: &reader), !reader.failed else {
      throw HubError(.malformed, "the \(kind) frame ends too early or holds an impossible field")
    }
    self = event
  }

  private init?(_ kind: Frame.Kind, flags: UInt8, reading reader: inout ByteReader) {
    let grouped = flags & EventLayout.grouped != 0
    let more = flags & EventLayout.more != 0
    switch kind {
    case .change:
      guard let state = StoreState(reading: &reader) else { return nil }
      self = .change(state, grouped: grouped, more: more)
    case .created:
      let prefix = Removal(reading: &reader)
      let name = reader.shortBytes().text
      guard let schema = reader.schema(), let value = ValueView(reading: &reader) else { return nil }
      self = .created(
        name: name, schema, prefix.state(value.value), grouped: grouped, more: more,
        transient: flags & EventLayout.transient != 0)
    case .removed:
      let removal = Removal(reading: &reader)
      self = .removed(name: reader.shortBytes().text, removal, grouped: grouped, more: more)
    case .current:
      let prefix = Removal(reading: &reader)
      let name = reader.shortBytes().text
      guard let value = ValueView(reading: &reader) else { return nil }
      self = .current(name: name, prefix.state(value.value))
    case .synced: self = .synced(revision: reader.integer())
    case .resumed: self = .resumed(revision: reader.integer())
    case .forget:
      let epoch = reader.epoch()
      self = .forget(epoch, revision: reader.integer())
    case .ended:
      let reason = EndReason(rawValue: reader.integer())
      self = .ended(reason, message: reader.mediumBytes().text)
    default: return nil
    }
  }
}

extension HubEvent.Removal {
  fileprivate init(reading reader: inout ByteReader) {
    let uid = reader.integer(UInt32.self)
    let id = StoreID(raw: reader.integer())
    let revision = reader.integer(Revision.self)
    let version = reader.integer(UInt64.self)
    self.init(id: id, revision: revision, version: version, time: reader.integer(), uid: uid)
  }

  fileprivate func state(_ value: Value) -> StoreState {
    StoreState(id: id, revision: revision, version: version, time: time, uid: uid, value: value)
  }
}

extension OutputBuffer {
  /// The fields that all frames about a store share.
  fileprivate mutating func appendPrefix(of state: StoreState) {
    append(state.uid)
    append(state.id.raw)
    append(state.revision)
    append(state.version)
    append(state.time)
  }
}
