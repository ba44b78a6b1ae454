// What the hub answers, as owned values, and how they are read from frames and written to them.

/// A store's value together with where it stands in the store's history.
public struct StoreState: Hashable, Sendable {
  public var id: StoreID
  /// The hub's revision at the store's last change.
  public var revision: Revision
  /// How many changes the store has seen.
  public var version: UInt64
  /// When the last change was made, in nanoseconds since 1970.
  public var time: Int64
  /// Who made it.
  public var uid: UInt32
  public var value: Value

  public init(id: StoreID, revision: Revision, version: UInt64, time: Int64, uid: UInt32, value: Value) {
    self.id = id
    self.revision = revision
    self.version = version
    self.time = time
    self.uid = uid
    self.value = value
  }
}

/// What a write did.
public struct WriteResult: Hashable, Sendable {
  public var id: StoreID
  /// The store's revision afterwards; an equal value leaves it as it was.
  public var revision: Revision
  public var version: UInt64
  public var changed: Bool
  /// What the acknowledgement promises.
  public var durability: Durability
  /// The value afterwards, of `add`, `toggle` and `reset`.
  public var value: Value?

  public init(
    id: StoreID, revision: Revision, version: UInt64, changed: Bool, durability: Durability,
    value: Value? = nil
  ) {
    self.id = id
    self.revision = revision
    self.version = version
    self.changed = changed
    self.durability = durability
    self.value = value
  }
}

/// One line of a list.
public struct StoreSummary: Hashable, Sendable {
  public var name: String
  public var id: StoreID
  public var type: ValueType
  public var declared: Bool
  public var revision: Revision
  public var version: UInt64
  public var time: Int64
  /// How long the value is, in bytes.
  public var length: UInt32
  /// The value, if it is at most 256 bytes long.
  public var value: Value?

  public init(
    name: String, id: StoreID, type: ValueType, declared: Bool, revision: Revision, version: UInt64,
    time: Int64,
    length: UInt32, value: Value?
  ) {
    self.name = name
    self.id = id
    self.type = type
    self.declared = declared
    self.revision = revision
    self.version = version
    self.time = time
    self.length = length
    self.value = value
  }
}

/// Everything about one store.
public struct StoreDescription: Hashable, Sendable {
  public var name: String
  public var state: StoreState
  public var schema: Schema
  /// What a write to it is acknowledged with: the schema's durability, or the hub's.
  public var durability: Durability
  /// Declared in the hub's configuration, not at run time.
  public var declared: Bool
  /// How many watches follow it.
  public var watchers: UInt32
  /// Milliseconds until its value ends, if it has a time to live.
  public var ttl: UInt64?
  /// The number of the connection that its value ends with.
  public var owner: Int32?

  public init(
    name: String, state: StoreState, schema: Schema, durability: Durability, declared: Bool, watchers: UInt32,
    ttl: UInt64? = nil, owner: Int32? = nil
  ) {
    self.name = name
    self.state = state
    self.schema = schema
    self.durability = durability
    self.declared = declared
    self.watchers = watchers
    self.ttl = ttl
    self.owner = owner
  }
}

/// One connection, as `clients` shows it.
public struct ClientSummary: Hashable, Sendable {
  public var session: Int32
  public var peer: Peer
  public var name: String
  /// When it connected, in nanoseconds since 1970.
  public var since: Int64
  public var watches: UInt32
  public var requests: UInt64
  /// Bytes that it was sent and has not taken.
  public var unsent: UInt32
  /// It does not take its events at the moment, and they are conflated for it.
  public var behind: Bool

  public init(
    session: Int32, peer: Peer, name: String, since: Int64, watches: UInt32, requests: UInt64, unsent: UInt32,
    behind: Bool
  ) {
    self.session = session
    self.peer = peer
    self.name = name
    self.since = since
    self.watches = watches
    self.requests = requests
    self.unsent = unsent
    self.behind = behind
  }
}

/// How the hub introduces itself.
public struct Welcome: Hashable, Sendable {
  public var version: UInt16
  public var capabilities: UInt64
  public var epoch: Epoch
  public var revision: Revision
  /// The longest frame that the hub takes, header included.
  public var maximumFrameLength: UInt32
  public var pid: UInt32
  /// The daemon's own version.
  public var release: String

  public init(
    version: UInt16, capabilities: UInt64, epoch: Epoch, revision: Revision, maximumFrameLength: UInt32,
    pid: UInt32,
    release: String
  ) {
    self.version = version
    self.capabilities = capabilities
    self.epoch = epoch
    self.revision = revision
    self.maximumFrameLength = maximumFrameLength
    self.pid = pid
    self.release = release
  }
}

public struct Statistic: Hashable, Sendable {
  public var name: String
  public var value: UInt64

  public init(name: String, value: UInt64) {
    self.name = name
    self.value = value
  }
}

/// The answer to one request.
public enum Reply: Hashable, Sendable {
  case welcome(Welcome)
  case pong(revision: Revision)
  case value(StoreState)
  case written(WriteResult)
  case committed(revision: Revision, [WriteResult])
  case listed([StoreSummary], more: Bool)
  case described(StoreDescription)
  /// The watch is open; what it has to show follows, up to a `synced`.
  case watching(revision: Revision)
  case unwatched
  case clients([ClientSummary], more: Bool)
  case statistics([Statistic])
  /// The hub has reloaded, and this is the version that runs now. `notes`: what a person should know, such as settings that
  /// wait for the hub's next start.
  case reloaded(release: String, notes: [String])
  case error(HubError)
}

enum ReplyFlag {
  static let changed: UInt8 = 1 << 0
  static let value: UInt8 = 1 << 1
  static let more: UInt8 = 1 << 0
  static let declared: UInt8 = 1 << 0
  static let ttl: UInt8 = 1 << 1
  static let owner: UInt8 = 1 << 2
  static let behind: UInt8 = 1 << 0
}
