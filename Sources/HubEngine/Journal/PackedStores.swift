// Stores as a snapshot holds them: many to a frame, each as its difference from the one before. docs/internals/journal.md has the layout.

package import HubCore

/// The frame that holds them, which no journal segment has.
package enum PackedStores {
  package static let kind: UInt8 = 0x2B

  /// The flags in a store's first byte.
  struct Fields: OptionSet {
    let rawValue: UInt8
    /// Its number does not follow that of the store before.
    static let number = Fields(rawValue: 1 << 0)
    /// Its version is not 1.
    static let version = Fields(rawValue: 1 << 1)
    /// Its writer and creator are not those of the store before.
    static let users = Fields(rawValue: 1 << 2)
    /// Its schema is not that of the store before.
    static let schema = Fields(rawValue: 1 << 3)
    /// Its value ends by itself.
    static let lifetime = Fields(rawValue: 1 << 4)
    static let known: Fields = [.number, .version, .users, .schema, .lifetime]
  }

  /// The fields of a store's record besides the value.
  struct Facts {
    var id = StoreID(raw: 0)
    var revision: Revision = 0
    var version: UInt64 = 1
    var time: Int64 = 0
    var uid: UInt32 = 0
    var creator = StoreRecord.byHub
  }

  static let ephemeral: UInt8 = 1
}

/// Appends one frame of stores to a buffer. Their slots ascend.
struct PackedStoresWriter: ~Copyable {
  private var last = PackedStores.Facts()
  private var slot = -1
  private var name = OutputBuffer(capacity: 256)
  /// The schema of the store before, as on the wire.
  private var schema = OutputBuffer(capacity: 64)
  /// Its type, if the schema has nothing else.
  private var plain: ValueType?
  private let start: Int

  init(into out: inout OutputBuffer) { start = out.beginFrame(PackedStores.kind) }

  consuming func end(in out: inout OutputBuffer) { out.endFrame(start) }

  /// - Parameter schema: nil: it has only the value's type.
  mutating func append(
    _ facts: PackedStores.Facts, name: ByteView, schema: Schema?, value: ValueView, lifetime: KeptLifetime?,
    to out: inout OutputBuffer
  ) {
    var fields: PackedStores.Fields = []
    if facts.id.serial != last.id.serial &+ 1 || facts.id.slot != slot + 1 { fields.insert(.number) }
    if facts.version != 1 { fields.insert(.version) }
    if facts.uid != last.uid || facts.creator != last.creator { fields.insert(.users) }
    if note(schema, value.type) { fields.insert(.schema) }
    if lifetime != nil { fields.insert(.lifetime) }
    out.append(fields.rawValue)
    if fields.contains(.number) {
      out.append(step: last.id.serial, to: facts.id.serial)
      out.append(packed: UInt64(facts.id.slot - slot - 1))
    }
    out.append(step: last.revision, to: facts.revision)
    if fields.contains(.version) { out.append(packed: facts.version) }
    out.append(step: UInt64(bitPattern: last.time), to: UInt64(bitPattern: facts.time))
    if fields.contains(.users) {
      out.append(facts.uid)
      out.append(facts.creator)
    }
    append(name, to: &out)
    if fields.contains(.schema) { out.append(self.schema.view) }
    if let lifetime { append(lifetime, to: &out) }
    if value.type.fixedLength == nil { out.append(packed: UInt64(value.bytes.count)) }
    out.append(value.bytes)
    last = facts
    slot = facts.id.slot
  }

  /// - Returns: whether it is another schema than that of the store before.
  private mutating func note(_ schema: Schema?, _ type: ValueType) -> Bool {
    if schema == nil, plain == type { return false }
    plain = schema == nil ? type : nil
    var encoded = OutputBuffer()
    encoded.append(schema ?? Schema(type: type))
    if encoded.view.equals(self.schema.view) { return false }
    self.schema.clear()
    self.schema.append(encoded.view)
    return true
  }

  private mutating func append(_ name: ByteView, to out: inout OutputBuffer) {
    let before = self.name.view
    let most = min(before.count, name.count)
    var shared = 0
    while shared < most, before[shared] == name[shared] { shared += 1 }
    out.append(UInt8(shared))
    out.append(UInt8(name.count - shared))
    out.append(name.suffix(from: shared))
    self.name.truncate(to: shared)
    self.name.append(name.suffix(from: shared))
  }

  private func append(_ lifetime: KeptLifetime, to out: inout OutputBuffer) {
    out.append(lifetime.isEphemeral ? PackedStores.ephemeral : 0)
    out.append(lifetime.deadline)
    out.append(lifetime.remaining)
    out.append(lifetime.written)
  }
}

/// The stores of one frame, one after another. Its bytes must stay where they are.
struct PackedStoresReader: ~Copyable {
  private(set) var facts = PackedStores.Facts()
  private var slot = -1
  private var nameBuffer = OutputBuffer(capacity: 256)
  /// Nil: it has only the value's type.
  private(set) var schema: Schema?
  private(set) var value = ValueView(
    type: .boolean, bytes: ByteView(UnsafeRawBufferPointer(start: nil, count: 0)))
  private(set) var lifetime: KeptLifetime?
  /// Nil before the first store.
  private var type: ValueType?
  private var reader: ByteReader

  init(_ frame: FrameView) { reader = ByteReader(frame.payload) }

  /// Valid until the next store.
  var name: ByteView { @inline(__always) get { nameBuffer.view } }

  /// Reads the next store.
  ///
  /// - Returns: whether there is one.
  /// - Throws: `malformed`: what follows is not a store.
  mutating func next() throws(HubError) -> Bool {
    if reader.remaining == 0 { return false }
    guard take(), !reader.failed else {
      throw HubError(.malformed, "there is no valid store at byte \(reader.offset)")
    }
    return true
  }

  @inline(__always)
  private mutating func take() -> Bool {
    let fields = PackedStores.Fields(rawValue: reader.integer())
    guard fields.isSubset(of: .known) else { return false }
    guard takeNumber(fields.contains(.number)) else { return false }
    facts.revision = reader.step(from: facts.revision)
    facts.version = fields.contains(.version) ? reader.packed() : 1
    facts.time = Int64(bitPattern: reader.step(from: UInt64(bitPattern: facts.time)))
    if fields.contains(.users) {
      facts.uid = reader.integer()
      facts.creator = reader.integer()
    }
    guard takeName() else { return false }
    if fields.contains(.schema) {
      guard let schema = reader.schema() else { return false }
      type = schema.type
      self.schema = schema == Schema(type: schema.type) ? nil : schema
    }
    lifetime = fields.contains(.lifetime) ? takeLifetime() : nil
    return takeValue()
  }

  @inline(__always)
  private mutating func takeNumber(_ isOwn: Bool) -> Bool {
    var serial = facts.id.serial &+ 1
    slot += 1
    if isOwn {
      serial = reader.step(from: facts.id.serial)
      let skipped = reader.packed()
      guard skipped < UInt64(StoreTable.maximumSlots) else { return false }
      slot += Int(skipped)
    }
    guard slot < StoreTable.maximumSlots, serial > 0, serial < StoreID.serialLimit else { return false }
    facts.id = StoreID(serial: serial, slot: slot)
    return true
  }

  @inline(__always)
  private mutating func takeName() -> Bool {
    let shared = Int(reader.integer(UInt8.self))
    let rest = reader.shortBytes()
    guard !reader.failed, shared <= nameBuffer.count else { return false }
    nameBuffer.truncate(to: shared)
    nameBuffer.append(rest)
    return StoreName.problem(in: nameBuffer.view) == nil
  }

  private mutating func takeLifetime() -> KeptLifetime {
    let flags = reader.integer(UInt8.self)
    return KeptLifetime(
      deadline: reader.integer(), remaining: reader.integer(), written: reader.integer(),
      isEphemeral: flags & PackedStores.ephemeral != 0)
  }

  @inline(__always)
  private mutating func takeValue() -> Bool {
    guard let type else { return false }
    let length = type.fixedLength ?? Int(clamping: reader.packed())
    let bytes = reader.bytes(length)
    guard !reader.failed, let value = ValueView(type: type, checking: bytes) else { return false }
    self.value = value
    return true
  }
}

extension PackedStores {
  /// The stores of a frame, up to the first that is none.
  package static func each(in frame: FrameView, _ body: (KeptStore) -> Void) {
    var reader = PackedStoresReader(frame)
    while (try? reader.next()) ?? false { body(reader.store) }
  }
}

extension PackedStoresReader {
  fileprivate var store: KeptStore {
    KeptStore(
      name: name.text, schema: schema ?? Schema(type: value.type),
      state: StoreState(
        id: facts.id, revision: facts.revision, version: facts.version, time: facts.time, uid: facts.uid,
        value: value.value), creator: facts.creator, lifetime: lifetime)
  }
}
