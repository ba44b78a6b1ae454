// Owns the stores and all that is looked up by them: records, names in order, lifetimes. It announces no change.

/// The stores of a hub.
///
/// Invariants: `names` holds every store, and some that have gone; `lifetimes.live` counts the stores with a deadline.
struct Stores: ~Copyable {
  private var table: StoreTable
  private var names = SortedNames()
  private(set) var lifetimes = Lifetimes()

  init(defaultDurability: Durability?) {
    table = StoreTable(defaultDurability: defaultDurability)
  }

  var count: Int { table.count }
  /// Slots that were ever used.
  var used: Int { table.used }
  var freeSlots: [Int32] { table.freeSlots }
  /// The length of all values together.
  var valueBytes: Int { table.valueBytes }
  var lastSerial: UInt64 { table.lastSerial }

  subscript(slot: Int) -> StoreRecord {
    @inline(__always) unsafeAddress { table.address(of: slot) }
    @inline(__always) unsafeMutableAddress { UnsafeMutablePointer(mutating: table.address(of: slot)) }
  }

  @inline(__always) func find(_ key: StoreKey) -> Int? { table.find(key) }
  @inline(__always) func find(_ name: ByteView) -> Int? { table.find(name) }
  @inline(__always) func find(_ id: StoreID) -> Int? { table.find(id) }
  func find(slot: Int) -> Int? { table.find(slot: slot) }
  func isTaken(_ slot: Int, byNewerThan id: StoreID) -> Bool { table.isTaken(slot, byNewerThan: id) }

  /// Valid until a store is created.
  @inline(__always) func name(of slot: Int) -> ByteView { table.name(of: slot) }
  /// Valid until the value is set or a store is created.
  @inline(__always) func value(of slot: Int) -> ValueView { table.value(of: slot) }
  func schema(of slot: Int) -> Schema { table.schema(of: slot) }
  func durability(with schema: Schema) -> Durability { table.durability(with: schema) }
  func ruleProblem(of slot: Int, with value: ValueView) -> HubError? {
    table.ruleProblem(of: slot, with: value)
  }

  @inline(__always) mutating func setValue(_ bytes: ByteView, of slot: Int) {
    table.setValue(bytes, of: slot)
  }
  mutating func setSchema(_ schema: Schema, of slot: Int) { table.setSchema(schema, of: slot) }

  // MARK: Coming and going

  /// Creates a store without value under a name that is not taken. Nil: the table is full.
  mutating func insert(_ name: ByteView, schema: Schema) -> Int? {
    guard let slot = table.insert(name, schema: schema) else { return nil }
    names.insert(table[slot].id, StoreName(checked: name))
    return slot
  }

  /// Neither its name nor its number finds the store. Its record stays until `free`, or comes back with `link`.
  mutating func unlink(_ slot: Int) { table.unlink(slot) }
  mutating func link(_ slot: Int) { table.link(slot) }

  /// Gives back the slot of an unlinked store that has gone for good.
  mutating func free(_ slot: Int) {
    table.free(slot)
    names.remove()
    if names.wantsSettling { names.settle(with: table) }
  }

  /// Brings the order of names up to date, for `walk`.
  mutating func settleNames() { names.settle(with: table) }

  /// The stores in the order of their names, from behind one, until `body` returns false.
  func walk(after name: String, _ body: (_ slot: Int) -> Bool) {
    names.walk(after: name) { id in table.find(id).map(body) ?? true }
  }

  // MARK: Lifetimes

  /// When the next value ends, in CLOCK_BOOTTIME nanoseconds.
  var nextDeadline: UInt64? { lifetimes.earliest?.time }

  /// The store whose value has ended by `time`, if there is one. Outdated deadlines before it are dropped.
  ///
  /// - Parameter looks: how many deadlines to look at at most; what is left of that.
  mutating func takeEnded(by time: UInt64, looks: inout Int) -> Int? {
    while looks > 0, let earliest = lifetimes.earliest, earliest.time <= time {
      looks -= 1
      lifetimes.removeEarliest()
      if earliest.isCurrent(in: table) { return earliest.id.slot }
    }
    return nil
  }

  /// For a store without a lifetime.
  mutating func setDeadline(_ deadline: UInt64, of slot: Int) {
    table[slot].deadline = deadline
    lifetimes.live += 1
    lifetimes.add(Lifetimes.Deadline(time: deadline, id: table[slot].id, lifetime: table[slot].lifetime))
  }

  /// Its value ends with the session, which it may have done before.
  mutating func setOwner(_ session: SessionID, of slot: Int, wasOwner: Bool) {
    table[slot].owner = session.raw
    if !wasOwner { lifetimes.own(table[slot].id, session: session) }
  }

  mutating func clearLifetime(of slot: Int) {
    if table[slot].deadline != 0 { lifetimes.live -= 1 }
    table[slot].deadline = 0
    table[slot].lifetime &+= 1
    table[slot].owner = -1
  }

  /// Drops outdated entries if there are many. Not while changes may be taken back: what is outdated may be so no more then.
  mutating func tidyLifetimes(of session: SessionID) {
    if lifetimes.wantsTidying(of: session) { lifetimes.tidy(session, with: table) }
    if lifetimes.wantsRebuild { lifetimes.rebuild(with: table) }
  }

  /// What the session came to own, in the order of the stores' numbers; some may be outdated, or stand there twice. Its list
  /// is empty afterwards.
  mutating func takeOwned(by session: SessionID) -> [StoreID] { lifetimes.takeOwned(by: session) }

  /// The stores whose values end with the session, in the order in which it came to own them.
  func owned(by session: SessionID) -> [StoreID] {
    lifetimes.owned(by: session).filter { id in
      table.find(id).map { table[$0].owner == session.raw } ?? false
    }
  }

  // MARK: Going back

  /// Brings a record back, except for its memberships, which are the patterns' business.
  mutating func restore(_ saved: StoreTable.Saved, value: ByteView, schema: Schema?, to slot: Int) {
    let deadline = table[slot].deadline
    table.restore(saved, value: value, schema: schema, to: slot)
    // Its old deadline still waits where it was: nothing leaves the heap while changes may be taken back.
    lifetimes.live += (table[slot].deadline != 0 ? 1 : 0) - (deadline != 0 ? 1 : 0)
  }

  // MARK: From a journal

  /// Creates a store without value under its own number. Nil: the number is impossible, or its slot is taken.
  mutating func adopt(_ id: StoreID, name: ByteView, schema: Schema) -> Int? {
    guard let slot = table.adopt(id, name: name, schema: schema) else { return nil }
    names.insert(id, StoreName(checked: name))
    return slot
  }

  /// What a journal told of the lifetime of a store's value; nil: it has none.
  mutating func keep(_ lifetime: KeptLifetime?, of id: StoreID) {
    if lifetime != nil || !lifetimes.kept.isEmpty { lifetimes.kept[id] = lifetime }
  }

  /// What was kept, in the order of the stores' numbers. Nothing is afterwards.
  mutating func takeKeptLifetimes() -> [(id: StoreID, lifetime: KeptLifetime)] {
    let kept = lifetimes.kept.sorted { $0.key.raw < $1.key.raw }
    lifetimes.kept = [:]
    return kept.map { ($0.key, $0.value) }
  }

  /// All stores have been adopted: new ones get serial numbers above `serial`.
  mutating func finishAdopting(serial: UInt64) { table.finishAdopting(serial: serial) }

  // MARK: From an image

  /// Creates a store with all that an image says of it, in its own slot; they have to come in ascending order.
  ///
  /// - Returns: nil if its slot lies before one that was used.
  mutating func restore(
    _ id: StoreID, name: ByteView, schema: Schema, value: ByteView, _ image: ImageStore
  ) -> Int? {
    guard let slot = table.restore(id, name: name, schema: schema) else { return nil }
    table.setValue(value, of: slot)
    table.apply(image, to: slot)
    names.insert(id, StoreName(checked: name))
    return slot
  }

  /// What is left to say when all stores are there.
  ///
  /// - Returns: false if these are not the free slots, each once.
  mutating func restoreFreeSlots(_ slots: [Int32], used: Int, lastSerial: UInt64) -> Bool {
    guard table.restoreFreeSlots(slots, used: used, lastSerial: lastSerial) else { return false }
    for slot in 0..<table.used where table[slot].id.raw != 0 && table[slot].deadline != 0 {
      lifetimes.live += 1
      lifetimes.add(
        Lifetimes.Deadline(
          time: table[slot].deadline, id: table[slot].id, lifetime: table[slot].lifetime))
    }
    return true
  }

  mutating func restore(_ ids: [StoreID], ownedBy session: SessionID) {
    lifetimes.restore(ids, ownedBy: session)
  }
}
