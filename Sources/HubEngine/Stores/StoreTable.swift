// The hub's stores in memory: records by slot, names by hash, values in place. It checks no rule and announces no change.

import HubCore

/// Invariant: records with a zero id are free slots; names of live stores are in the index.
struct StoreTable: ~Copyable {
  // Not private because stores that are loaded together have their own file, as do some below.
  var records = Table<StoreRecord>()
  var count = 0
  private(set) var freeSlots: [Int32] = []
  var names: NameIndex
  /// The length of all values together.
  var valueBytes = 0
  var lastSerial: UInt64 = 0
  /// Schemas with more than a type. Cold: read only when a store has rules, is described or reset.
  private var schemas = Pool<Schema>()
  /// By a schema's slot: its choices, if there are many. A value is found among them without comparing each.
  private var choices: [Int32: Set<[UInt8]>] = [:]
  /// Blocks that the undo log may return. Bounded: they hold values that the stores had when the transaction or the
  /// turn began, or that it has written to the change log.
  var pinned = PinnedBlocks()
  /// Values that connections still need.
  let held = HeldValues()
  /// There are more of them without a store.
  var hasSetAside = false

  static let maximumSlots = 1 << Int(StoreID.slotBits)

  /// The durability of stores that name none; nil: without a journal every store is volatile.
  private let defaultDurability: Durability?

  init(defaultDurability: Durability? = nil) {
    precondition(
      MemoryLayout<StoreRecord>.offset(of: \.cell) == 0 && MemoryLayout<ValueCell>.offset(of: \.inline) == 0)
    self.defaultDurability = defaultDurability
    names = NameIndex()
  }

  deinit {
    for slot in records.indices {
      if records[slot].id.raw != 0 { records[slot].nameBase.deallocate() }
      let cell = records[slot].cell
      if let block = cell.block, !held.take(block, capacity: Int(cell.capacity)) { block.deallocate() }
    }
    for (block, capacity) in pinned.givenUp where !held.take(block, capacity: capacity) { block.deallocate() }
  }

  /// Slots that have ever been used.
  var used: Int { @inline(__always) get { records.count } }

  subscript(slot: Int) -> StoreRecord {
    @inline(__always) unsafeAddress { UnsafePointer(records.address(of: slot)) }
    @inline(__always) unsafeMutableAddress { records.address(of: slot) }
  }

  /// Valid until a store is created.
  @inline(__always)
  func address(of slot: Int) -> UnsafeMutablePointer<StoreRecord> { records.address(of: slot) }

  // MARK: Finding

  @inline(__always)
  func find(_ name: ByteView) -> Int? {
    var probe = names.probe(names.hash(name))
    while let slot = probe.next() {
      if self.name(of: slot).equals(name) { return slot }
    }
    return nil
  }

  @inline(__always)
  func find(_ id: StoreID) -> Int? {
    let slot = id.slot
    return slot < used && id.raw != 0 && records[slot].id == id ? slot : nil
  }

  @inline(__always)
  func find(_ key: StoreKey) -> Int? { key.name.isEmpty ? find(key.id) : find(key.name) }

  // MARK: Reading

  /// Valid until a store is created.
  @inline(__always)
  func name(of slot: Int) -> ByteView {
    let record = records.address(of: slot)
    return ByteView(base: UnsafeRawPointer(record.pointee.nameBase), count: Int(record.pointee.nameLength))
  }

  /// Valid until the value is set or a store is created.
  @inline(__always)
  func value(of slot: Int) -> ValueView {
    let record = records.address(of: slot)
    let bytes = record.pointee.cell.block ?? UnsafeMutableRawPointer(record)
    return ValueView(
      type: record.pointee.type,
      bytes: ByteView(base: UnsafeRawPointer(bytes), count: Int(record.pointee.cell.count)))
  }

  func schema(of slot: Int) -> Schema {
    let place = records[slot].schema
    return place < 0 ? Schema(type: records[slot].type) : schemas[place]
  }

  /// The memory that the store's schema takes besides its own slot, in bytes.
  func schemaMemory(of slot: Int) -> Int {
    let place = records[slot].schema
    return place < 0 ? 0 : schemas[place].memory
  }

  /// Why the value breaks a rule of the store's schema, or nil. Needed only if the store has rules.
  func ruleProblem(of slot: Int, with value: ValueView) -> HubError? {
    let place = records[slot].schema
    return schemas[place].problem(with: value, among: choices.isEmpty ? nil : choices[place])
  }

  /// More choices than this are put into a set.
  private static let fewChoices = 8

  /// A schema was put into its slot, or is about to be removed from it.
  private mutating func noteChoices(_ list: [Value], at place: Int32) {
    if list.count > StoreTable.fewChoices {
      choices[place] = Set(list.lazy.map(\.bytes))
    } else if !choices.isEmpty {
      choices[place] = nil
    }
  }

  /// The durability of stores whose schema has only a type.
  var plainDurability: Durability { @inline(__always) get { defaultDurability ?? .volatile } }

  /// What a write to a store with this schema promises.
  func durability(with schema: Schema) -> Durability {
    defaultDurability == nil ? .volatile : schema.durability ?? plainDurability
  }

  // MARK: Writing

  /// A schema with another type than the store's is kept until the value is of that type, and after that as well.
  mutating func setSchema(_ schema: Schema, of slot: Int) {
    let place = records[slot].schema
    if schema == Schema(type: records[slot].type) {
      dropSchema(of: slot)
    } else if place < 0 {
      records[slot].schema = schemas.add(schema)
    } else {
      schemas[place] = schema
    }
    if records[slot].schema >= 0 { noteChoices(schema.choices, at: records[slot].schema) }
    self[slot].hasRules = schema.hasRules
    self[slot].durability = durability(with: schema)
  }

  private mutating func dropSchema(of slot: Int) {
    let place = records[slot].schema
    if place < 0 { return }
    // Its texts are not kept with its slot.
    schemas[place] = Schema(type: .integer)
    noteChoices([], at: place)
    schemas.remove(place)
    records[slot].schema = -1
  }

  /// - Returns: how much more memory the value takes than the one before.
  @inline(__always)
  mutating func setValue(_ bytes: ByteView, of slot: Int) -> Int {
    let record = records.address(of: slot)
    valueBytes += bytes.count - Int(record.pointee.cell.count)
    var growth = 0
    if bytes.count <= ValueCell.inlineCapacity, record.pointee.cell.block == nil {
      UnsafeMutableRawPointer(record).copyMemory(from: bytes.base, byteCount: bytes.count)
    } else {
      growth = setLongValue(bytes, of: slot)
    }
    record.pointee.cell.count = UInt32(bytes.count)
    return growth
  }

  /// What the value takes besides its record, in bytes.
  func valueMemory(of slot: Int) -> Int { records[slot].cell.memory }
  /// The same with another value of this length.
  func valueMemory(of slot: Int, withLength length: Int) -> Int {
    records[slot].cell.memory(withLength: length)
  }

  private mutating func setLongValue(_ bytes: ByteView, of slot: Int) -> Int {
    let before = records[slot].cell.memory
    giveUpBlock(of: slot)
    if records[slot].cell.block == nil || !records[slot].cell.fits(bytes.count) {
      let capacity = ValueCell.capacity(for: bytes.count)
      let block = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      block.copyMemory(from: bytes.base, byteCount: bytes.count)
      records[slot].cell.block?.deallocate()
      records[slot].cell.block = block
      records[slot].cell.capacity = UInt32(capacity)
    } else {
      records[slot].cell.block!.copyMemory(from: bytes.base, byteCount: bytes.count)
    }
    return records[slot].cell.memory - before
  }

  /// Creates a store without a value under a name that is not taken. Nil: the table is full, or all numbers are used.
  mutating func insert(_ name: ByteView, schema: Schema) -> Int? {
    guard lastSerial < StoreID.serialLimit - 1 else { return nil }
    let slot = freeSlots.popLast().map { Int($0) } ?? used
    guard slot < StoreTable.maximumSlots else { return nil }
    leaveFree(upTo: slot + 1)
    lastSerial += 1
    put(StoreID(serial: lastSerial, slot: slot), name: name, type: schema.type)
    setSchema(schema, of: slot)
    link(slot)
    return slot
  }

  /// Makes a store's record in a free slot. Neither its name nor its number is counted.
  @inline(__always)
  mutating func put(_ id: StoreID, name: ByteView, type: ValueType) {
    let nameBase = UnsafeMutableRawPointer.allocate(byteCount: name.count, alignment: 1)
    nameBase.copyMemory(from: name.base, byteCount: name.count)
    records[id.slot] = StoreRecord(
      cell: ValueCell(), id: id, revision: 0, version: 0, time: 0, position: 0, uid: 0, type: type,
      nameLength: UInt8(name.count), nameBase: nameBase)
  }

  /// Takes the store out of the index: neither its name nor its number finds it. Its record stays until `free`, or returns
  /// with `restore` and `link`.
  mutating func unlink(_ slot: Int) {
    names.remove(slot, hash: names.hash(name(of: slot)))
    records[slot].id = StoreID(raw: 0)
    count -= 1
    valueBytes -= Int(records[slot].cell.count)
  }

  mutating func link(_ slot: Int) {
    names.insert(slot, hash: names.hash(name(of: slot)))
    count += 1
    valueBytes += Int(records[slot].cell.count)
  }

  /// Frees the slot of an unlinked store.
  mutating func free(_ slot: Int) {
    records[slot].nameBase.deallocate()
    giveUpBlock(of: slot)
    records[slot].cell.block?.deallocate()
    records[slot].cell = ValueCell()
    records[slot].id = StoreID(raw: 0)
    records[slot].position = 0
    dropSchema(of: slot)
    freeSlots.append(Int32(slot))
  }

  /// Gives back the memory of free slots, from the last one down to `floor`, and the slots as well that are behind all
  /// others. No removal can be undone from here on.
  ///
  /// - Parameter giveBack: leaves the memory as it is, or full of zeroes: both is a free slot's.
  mutating func releaseFree(
    downTo floor: Int, from top: Int, _ giveBack: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    var end = min(top, used)
    while end > floor {
      var start = end
      while start > floor, records[start - 1].id.raw == 0 { start -= 1 }
      if end - start >= StoreTable.leastToRelease { giveBack(records.bytes(start..<end)) }
      if end == used { records.removeLast(end - start) }
      end = start - 1
    }
    let used = used
    if freeSlots.count > used - count { freeSlots.removeAll { $0 >= used } }
  }

  /// So many records fill a page, or two.
  private static let leastToRelease = 64

  // MARK: From the journal

  /// Creates a store without a value under its own number. Nil: the number is impossible, or its slot is taken.
  mutating func recover(_ id: StoreID, name: ByteView, type: ValueType, schema: Schema?) -> Int? {
    let slot = id.slot
    guard id.serial > 0 else { return nil }
    leaveFree(upTo: slot + 1)
    guard records[slot].id.raw == 0 else { return nil }
    put(id, name: name, type: type)
    records[slot].durability = plainDurability
    if let schema { setSchema(schema, of: slot) }
    lastSerial = max(lastSerial, id.serial)
    link(slot)
    return slot
  }

  /// The store in a slot.
  func find(slot: Int) -> Int? { slot < used && records[slot].id.raw != 0 ? slot : nil }

  /// Whether the slot holds a store that was created later than the one with this number.
  func isTaken(_ slot: Int, byNewerThan id: StoreID) -> Bool {
    find(slot: slot).map { records[$0].id.serial > id.serial } ?? false
  }

  /// All stores have been adopted: the other slots are free, and new stores get serial numbers above `serial`.
  mutating func finishAdopting(serial: UInt64) {
    freeSlots = (0..<used).reversed().filter { records[$0].id.raw == 0 }.map { Int32($0) }
    lastSerial = serial
  }

  // MARK: From an image

  /// Sets the free slots, once all stores exist.
  ///
  /// - Returns: false if these are not the free slots, each once.
  mutating func restoreFreeSlots(_ slots: [Int32], used: Int, lastSerial: UInt64) -> Bool {
    guard used >= self.used, used - count == slots.count else { return false }
    leaveFree(upTo: used)
    var isListed = [Bool](repeating: false, count: used)
    for slot in slots {
      guard slot >= 0, slot < used, records[Int(slot)].id.raw == 0, !isListed[Int(slot)] else { return false }
      isListed[Int(slot)] = true
    }
    freeSlots = slots
    self.lastSerial = lastSerial
    return true
  }

  mutating func leaveFree(upTo slot: Int) {
    while used < slot {
      records.append(
        StoreRecord(
          cell: ValueCell(), id: StoreID(raw: 0), revision: 0, version: 0, time: 0, position: 0, uid: 0,
          type: .integer, nameLength: 0, nameBase: UnsafeMutableRawPointer(bitPattern: 1)!))
    }
  }
}
