// `described`: the answer to `describe`.

/// Everything about one store.
public struct StoreDescription: Hashable, Sendable {
  /// The store's name.
  public var name: String
  /// The value, and its position in the history.
  public var state: StoreState
  /// The store's rules.
  public var schema: Schema
  /// What the acknowledgement of a write guarantees: the schema's durability, or the hub's default.
  public var durability: Durability
  /// Whether the store is declared in the hub's configuration rather than created at run time.
  public var declared: Bool
  /// The number of watches of the store.
  public var watchers: UInt32
  /// Milliseconds until its value expires, if it has a time to live.
  public var ttl: UInt64?
  /// The number of the connection whose end ends the value.
  public var owner: Int32?

  package init(
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

extension StoreDescription {
  private enum Flag {
    static let declared: UInt8 = 1 << 0
    static let ttl: UInt8 = 1 << 1
    static let owner: UInt8 = 1 << 2
  }

  func encode(into out: inout OutputBuffer, request: UInt32) {
    let flags =
      (declared ? Flag.declared : 0) | (ttl != nil ? Flag.ttl : 0) | (owner != nil ? Flag.owner : 0)
    out.frame(ReplyKind.described.rawValue, flags: flags, request: request) { out in
      out.append(short: name)
      out.append(state)
      out.append(schema)
      out.append(durability.rawValue)
      out.append(watchers)
      if let ttl { out.append(ttl) }
      if let owner { out.append(owner) }
    }
  }

  init?(flags: UInt8, reading reader: inout ByteReader) {
    let name = reader.shortBytes().text
    guard let state = StoreState(reading: &reader), let schema = reader.schema(),
      let durability = Durability(rawValue: reader.integer())
    else { return nil }
    let watchers = reader.integer(UInt32.self)
    let ttl = flags & Flag.ttl != 0 ? reader.integer(UInt64.self) : nil
    let owner = flags & Flag.owner != 0 ? reader.integer(Int32.self) : nil
    self.init(
      name: name, state: state, schema: schema, durability: durability, declared: flags & Flag.declared != 0,
      watchers: watchers, ttl: ttl, owner: owner)
  }
}
