// `listed`: the answer to `list`, one page.

/// One line of a list.
public struct StoreSummary: Hashable, Sendable {
  /// The store's name.
  public var name: String
  /// The store's number.
  public var id: StoreID
  /// The type of its values.
  public var type: ValueType
  /// Whether the store is declared in the hub's configuration rather than created at run time.
  public var declared: Bool
  /// The hub's revision at the store's last change.
  public var revision: Revision
  /// The number of the store's changes.
  public var version: UInt64
  /// The time of the last change, in nanoseconds since 1970.
  public var time: Int64
  /// The length of the value, in bytes.
  public var length: UInt32
  /// The value, if it is at most 256 bytes long.
  public var value: Value?

  package init(
    name: String, id: StoreID, type: ValueType, declared: Bool, revision: Revision, version: UInt64,
    time: Int64, length: UInt32, value: Value?
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

extension StoreSummary {
  private enum Flag {
    static let more: UInt8 = 1 << 0
    static let declared: UInt8 = 1 << 0
    static let value: UInt8 = 1 << 1
  }

  static func encode(
    _ stores: [StoreSummary], more: Bool, into out: inout OutputBuffer, request: UInt32
  ) {
    out.frame(ReplyKind.listed.rawValue, flags: more ? Flag.more : 0, request: request) { out in
      out.append(UInt32(stores.count))
      for store in stores { store.append(to: &out) }
    }
  }

  static func listed(flags: UInt8, reading reader: inout ByteReader) -> Reply? {
    var stores: [StoreSummary] = []
    for _ in 0..<Int(reader.integer(UInt32.self)) {
      guard let store = StoreSummary(reading: &reader) else { return nil }
      stores.append(store)
    }
    return .listed(stores, more: flags & Flag.more != 0)
  }

  private func append(to out: inout OutputBuffer) {
    out.append((declared ? Flag.declared : 0) | (value != nil ? Flag.value : 0))
    out.append(short: name)
    out.append(type.rawValue)
    out.append(id.raw)
    out.append(revision)
    out.append(version)
    out.append(time)
    out.append(length)
    if let value { out.append(value) }
  }

  private init?(reading reader: inout ByteReader) {
    let flags = reader.integer(UInt8.self)
    let name = reader.shortBytes().text
    guard let type = ValueType(rawValue: reader.integer()) else { return nil }
    let id = StoreID(raw: reader.integer())
    let revision = reader.integer(Revision.self)
    let version = reader.integer(UInt64.self)
    let time = reader.integer(Int64.self)
    let length = reader.integer(UInt32.self)
    var value: Value?
    if flags & Flag.value != 0 {
      guard let view = ValueView(reading: &reader) else { return nil }
      value = view.value
    }
    self.init(
      name: name, id: id, type: type, declared: flags & Flag.declared != 0, revision: revision,
      version: version, time: time, length: length, value: value)
  }
}
