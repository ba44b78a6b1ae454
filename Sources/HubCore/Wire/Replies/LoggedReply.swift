// `logged`: the answer to `log`, one page.

/// A change that the hub has kept, with its writer.
public struct LoggedChange: Hashable, Sendable {
  /// What was done to the store.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// It got a new value.
    case changed = 0
    /// It was created, or got a new schema.
    case created = 1
    case removed = 2
  }

  /// What happened to the store.
  public var kind: Kind
  /// The store's name.
  public var name: String
  /// The store's number.
  public var id: StoreID
  /// The hub's revision at the change.
  public var revision: Revision
  /// The number of the store's changes, this one included.
  public var version: UInt64
  /// The time of the change, in nanoseconds since 1970.
  public var time: Int64
  /// The user who made it.
  public var uid: UInt32
  /// The process that made it; 0 if it was the hub itself, or is not disclosed.
  public var pid: UInt32
  /// The name that the process gave itself.
  public var client: String
  /// The new value; nil if the store was removed.
  public var value: Value?

  package init(
    kind: Kind, name: String, id: StoreID, revision: Revision, version: UInt64, time: Int64, uid: UInt32,
    pid: UInt32, client: String, value: Value?
  ) {
    self.kind = kind
    self.name = name
    self.id = id
    self.revision = revision
    self.version = version
    self.time = time
    self.uid = uid
    self.pid = pid
    self.client = client
    self.value = value
  }
}

extension LoggedChange.Kind {
  package init?(_ kind: EventKind) {
    switch kind {
    case .change: self = .changed
    case .created: self = .created
    case .removed: self = .removed
    case .current, .synced, .resumed, .forget, .ended, .forward, .withdraw, .ask: return nil
    }
  }
}

/// Some of the changes, in the order in which they were made.
public struct LogPage: Hashable, Sendable {
  /// The hub has all changes after this revision; older ones are not reported.
  public var floor: Revision
  /// The hub's revision.
  public var revision: Revision
  /// The changes, in order of revision.
  public var changes: [LoggedChange] = []
  /// Where the next page begins; nil if this is the last one.
  public var next: LogPlace?

  package init(floor: Revision, revision: Revision) {
    self.floor = floor
    self.revision = revision
  }
}

extension LogPage {
  private static let more: UInt8 = 1 << 0

  func encode(into out: inout OutputBuffer, request: UInt32) {
    out.frame(ReplyKind.logged.rawValue, flags: next == nil ? 0 : LogPage.more, request: request) { out in
      out.append(floor)
      out.append(revision)
      out.append(next?.revision ?? 0)
      out.append(next?.skip ?? 0)
      out.append(UInt32(changes.count))
      for change in changes { change.append(to: &out) }
    }
  }

  init?(flags: UInt8, reading reader: inout ByteReader) {
    let floor = reader.integer(Revision.self)
    self.init(floor: floor, revision: reader.integer())
    let place = reader.integer(Revision.self)
    let next = LogPlace(revision: place, skip: reader.integer())
    if flags & LogPage.more != 0 { self.next = next }
    for _ in 0..<Int(reader.integer(UInt32.self)) {
      guard let change = LoggedChange(reading: &reader) else { return nil }
      changes.append(change)
    }
  }
}

extension LoggedChange {
  fileprivate func append(to out: inout OutputBuffer) {
    out.append(kind.rawValue)
    out.appendPrefix(uid, id, revision, version, time)
    out.append(pid)
    out.append(short: name)
    out.append(short: client)
    if kind != .removed, let value { out.append(value) }
  }

  fileprivate init?(reading reader: inout ByteReader) {
    guard let kind = Kind(rawValue: reader.integer()), let prefix = HubEvent.Removal(reading: &reader) else {
      return nil
    }
    let pid = reader.integer(UInt32.self)
    let name = reader.shortBytes().text
    let client = reader.shortBytes().text
    var value: Value?
    if kind != .removed {
      guard let view = ValueView(reading: &reader) else { return nil }
      value = view.value
    }
    if reader.failed { return nil }
    self.init(
      kind: kind, name: name, id: prefix.id, revision: prefix.revision, version: prefix.version,
      time: prefix.time, uid: prefix.uid, pid: pid, client: client, value: value)
  }
}
