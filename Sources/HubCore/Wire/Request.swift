// What a client asks, as owned values, and how they become frames. The hub reads the same frames through `Command`.

/// A store on the wire: by name, or by the number that the hub gave it.
public enum StoreReference: Hashable, Sendable {
  case name(StoreName)
  case id(StoreID)
}

/// The conditions of a conditional write. All of them have to hold, else the write fails with `conflict`.
public struct WriteCondition: Hashable, Sendable {
  /// The store's own last revision; 0: there must be no such store.
  public var revision: Revision?
  /// The epoch that `revision` belongs to.
  public var epoch: Epoch?
  public var value: Value?
  public var absent: Bool

  public init(revision: Revision? = nil, epoch: Epoch? = nil, value: Value? = nil, absent: Bool = false) {
    self.revision = revision
    self.epoch = epoch
    self.value = value
    self.absent = absent
  }

  public static let none = WriteCondition()
}

/// How long a value stays: decided anew by every successful set.
public struct Lifetime: Hashable, Sendable {
  /// Milliseconds, counted also while the machine sleeps.
  public var ttl: UInt64?
  /// Ends with the connection that set it.
  public var ephemeral: Bool

  public init(ttl: UInt64? = nil, ephemeral: Bool = false) {
    self.ttl = ttl
    self.ephemeral = ephemeral
  }

  public static let permanent = Lifetime()
}

/// A change to one store; several of them make a transaction.
public enum WriteOperation: Hashable, Sendable {
  /// `force`: also an equal value counts as a change.
  case set(
    StoreReference, Value, condition: WriteCondition = .none, lifetime: Lifetime = .permanent,
    force: Bool = false)
  /// Adds an integer to an integer store, any number to a double store. `clamp`: stop at the bound instead of failing.
  case add(StoreReference, Value, clamp: Bool = false)
  case toggle(StoreReference)
  case reset(StoreReference)
  /// Only `revision` and `epoch` of the condition apply.
  case remove(StoreReference, condition: WriteCondition = .none)
  /// Creates the store, or gives it a new schema, which its value must fit. `ifAbsent`: fail if it exists.
  case create(StoreName, Schema, ifAbsent: Bool = false)
}

/// How much of what happened a watch wants to see.
public enum WatchPolicy: UInt8, Hashable, Sendable {
  /// Of each store the newest value, as soon as the connection takes it.
  case latest = 0
  /// Every change, as long as the hub's change log still holds it.
  case every = 1
}

/// One request of a client.
public enum Request: Hashable, Sendable {
  /// `name`: what `clients` shows, for people; cut to 255 bytes.
  case hello(
    minimumVersion: UInt16 = 1, maximumVersion: UInt16 = Frame.version, capabilities: UInt64 = 0, name: String
  )
  case ping
  case get(StoreReference)
  case write(WriteOperation)
  case transaction([WriteOperation])
  /// Stores by name, at most `limit` of those behind `after`.
  case list(NamePattern, after: String = "", limit: UInt32 = 1000)
  case describe(StoreReference)
  /// 1 to 65,535 patterns; more take several requests.
  /// `schemas`: stores are shown with their schemas, as `created`, where else `current` would tell their values alone.
  case watch(
    [NamePattern], policy: WatchPolicy = .latest, bookmark: Bookmark? = nil, schemas: Bool = false)
  /// Ends the watch that was opened by the request of that number.
  case unwatch(UInt32)
  /// Connections, at most `limit` of those numbered above `after`.
  case clients(after: Int32 = -1, limit: UInt32 = 1000)
  case stats
  /// Takes over the configuration as it is now, and the program as it is installed now.
  case reload
}

/// The flag bits of requests.
enum RequestFlag {
  static let ifRevision: UInt8 = 1 << 0
  static let ifEpoch: UInt8 = 1 << 1
  static let ifValue: UInt8 = 1 << 2
  static let ifAbsent: UInt8 = 1 << 3
  static let force: UInt8 = 1 << 4
  static let ttl: UInt8 = 1 << 5
  static let ephemeral: UInt8 = 1 << 6
  static let clamp: UInt8 = 1 << 0
  static let every: UInt8 = 1 << 0
  static let bookmark: UInt8 = 1 << 1
  static let schemas: UInt8 = 1 << 2
}

extension Request {
  /// Appends the request's frame. `id` comes back with the reply.
  public func encode(into out: inout OutputBuffer, id: UInt32) {
    switch self {
    case .hello(let minimum, let maximum, let capabilities, let name):
      let start = out.beginFrame(.hello, request: id)
      out.append(Frame.magic)
      out.append(minimum)
      out.append(maximum)
      out.append(capabilities)
      out.append(short: name)
      out.endFrame(start)
    case .ping: out.endFrame(out.beginFrame(.ping, request: id))
    case .get(let store): Request.encode(.get, store, id, into: &out)
    case .write(let operation): operation.encode(into: &out, id: id)
    case .transaction(let operations):
      let start = out.beginFrame(.transaction, request: id)
      for operation in operations { operation.encode(into: &out, id: 0) }
      out.endFrame(start)
    case .list(let pattern, let after, let limit):
      let start = out.beginFrame(.list, request: id)
      out.append(limit)
      out.append(short: pattern.text)
      out.append(short: after)
      out.endFrame(start)
    case .describe(let store): Request.encode(.describe, store, id, into: &out)
    case .watch(let patterns, let policy, let bookmark, let schemas):
      var flags = policy == .every ? RequestFlag.every : 0
      if schemas { flags |= RequestFlag.schemas }
      if bookmark != nil { flags |= RequestFlag.bookmark }
      let start = out.beginFrame(.watch, flags: flags, request: id)
      if let bookmark {
        out.append(bookmark.epoch)
        out.append(bookmark.revision)
      }
      precondition(patterns.count <= Int(UInt16.max), "a watch request holds at most 65,535 patterns")
      out.append(UInt16(patterns.count))
      for pattern in patterns { out.append(short: pattern.text) }
      out.endFrame(start)
    case .unwatch(let watch):
      let start = out.beginFrame(.unwatch, request: id)
      out.append(watch)
      out.endFrame(start)
    case .clients(let after, let limit):
      let start = out.beginFrame(.clients, request: id)
      out.append(limit)
      out.append(after)
      out.endFrame(start)
    case .stats: out.endFrame(out.beginFrame(.stats, request: id))
    case .reload: out.endFrame(out.beginFrame(.reload, request: id))
    }
  }

  fileprivate static func encode(
    _ kind: Frame.Kind, _ store: StoreReference, _ id: UInt32, into out: inout OutputBuffer
  ) {
    let start = out.beginFrame(kind, request: id)
    out.append(store)
    out.endFrame(start)
  }
}

extension WriteOperation {
  /// Appends the operation's frame. Inside a transaction `id` is 0.
  public func encode(into out: inout OutputBuffer, id: UInt32) {
    switch self {
    case .set(let store, let value, let condition, let lifetime, let force):
      var flags = condition.flags
      if force { flags |= RequestFlag.force }
      if lifetime.ttl != nil { flags |= RequestFlag.ttl }
      if lifetime.ephemeral { flags |= RequestFlag.ephemeral }
      let start = out.beginFrame(.set, flags: flags, request: id)
      out.append(store)
      out.append(value)
      out.append(condition)
      if let ttl = lifetime.ttl { out.append(ttl) }
      out.endFrame(start)
    case .add(let store, let delta, let clamp):
      let start = out.beginFrame(.add, flags: clamp ? RequestFlag.clamp : 0, request: id)
      out.append(store)
      out.append(delta)
      out.endFrame(start)
    case .toggle(let store): Request.encode(.toggle, store, id, into: &out)
    case .reset(let store): Request.encode(.reset, store, id, into: &out)
    case .remove(let store, var condition):
      condition.value = nil
      condition.absent = false
      let start = out.beginFrame(.remove, flags: condition.flags, request: id)
      out.append(store)
      out.append(condition)
      out.endFrame(start)
    case .create(let name, let schema, let ifAbsent):
      let start = out.beginFrame(.create, flags: ifAbsent ? RequestFlag.ifAbsent : 0, request: id)
      out.append(short: name.text)
      out.append(schema)
      out.endFrame(start)
    }
  }
}

extension WriteCondition {
  fileprivate var flags: UInt8 {
    var flags: UInt8 = 0
    if revision != nil { flags |= RequestFlag.ifRevision }
    if epoch != nil { flags |= RequestFlag.ifEpoch }
    if value != nil { flags |= RequestFlag.ifValue }
    if absent { flags |= RequestFlag.ifAbsent }
    return flags
  }
}

extension OutputBuffer {
  mutating func append(_ store: StoreReference) {
    switch store {
    case .name(let name): append(short: name.text)
    case .id(let id):
      append(UInt8(0))
      append(id.raw)
    }
  }

  fileprivate mutating func append(_ condition: WriteCondition) {
    if let revision = condition.revision { append(revision) }
    if let epoch = condition.epoch { append(epoch) }
    if let value = condition.value { append(value) }
  }

  mutating func append(_ epoch: Epoch) {
    append(epoch.high)
    append(epoch.low)
  }
}
