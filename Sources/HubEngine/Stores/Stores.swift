// Owns the stores and everything that is looked up by them: records, names in order, lifetimes. It announces no change.

import HubCore

/// The stores of a hub.
///
/// Invariant: `names` holds every store that was created after the start.
struct Stores: ~Copyable {
  private var table: StoreTable
  /// Stores that were loaded together, and cannot be found by name yet. Not in the table, of which the compiler makes copies.
  private var staged = StagedNames()
  private var names = SortedNames()
  private(set) var lifetimes = Lifetimes()
  /// The access to them.
  var permissions: Permissions
  /// What is charged to each user: here for stores, in the feed for watches.
  var accounts: Accounts
  /// Stores that are loaded together, from a journal or an image, are counted once they are loaded.
  private var isCounting = true

  init(_ options: HubEngine.Options) {
    accounts = Accounts(MemoryLimits(options))
    table = StoreTable(defaultDurability: options.journals ? options.defaultDurability : nil)
    permissions = Permissions(options.access, user: options.uid, group: options.gid)
  }

  var count: Int { table.count }
  /// Slots that have ever been used.
  var used: Int { table.used }
  var freeSlots: [Int32] { table.freeSlots }
  /// The length of all values together.
  var valueBytes: Int { table.valueBytes }
  var lastSerial: UInt64 { table.lastSerial }
  /// Numbers for more stores are left.
  var hasNumbers: Bool { table.lastSerial < StoreID.serialLimit - 1 }

  subscript(slot: Int) -> StoreRecord {
    @inline(__always) unsafeAddress { UnsafePointer(table.address(of: slot)) }
    @inline(__always) unsafeMutableAddress { table.address(of: slot) }
  }

  /// Only for the `find` that asks whether it may be found.
  @inline(__always) func locate(_ key: StoreKey) -> Int? { table.find(key) }
  @inline(__always) func find(_ name: ByteView) -> Int? { table.find(name) }
  @inline(__always) func find(_ id: StoreID) -> Int? { table.find(id) }
  /// For rare uses: it copies the name.
  func find(_ name: String) -> Int? { Array(name.utf8).withByteView { table.find($0) } }
  func find(slot: Int) -> Int? { table.find(slot: slot) }
  func isTaken(_ slot: Int, byNewerThan id: StoreID) -> Bool { table.isTaken(slot, byNewerThan: id) }

  /// Valid until a store is created.
  @inline(__always) func name(of slot: Int) -> ByteView { table.name(of: slot) }
  /// Valid until the value is set or a store is created.
  @inline(__always) func value(of slot: Int) -> ValueView { table.value(of: slot) }
  /// Pins the value for a partially sent reply; nil: it is too short for that.
  func holdValue(of slot: Int) -> HeldFrame? { table.holdValue(of: slot) }
  /// What values that are held take besides the stores, in bytes.
  var bytesAside: Int { table.held.bytesAside }
  /// They take more than when this was last set to false.
  var hasSetAside: Bool {
    @inline(__always) mutating get { table.hasSetAside }
    set { table.hasSetAside = newValue }
  }
  func schema(of slot: Int) -> Schema { table.schema(of: slot) }
  /// What the value takes besides its record, in bytes.
  func valueMemory(of slot: Int) -> Int { table.valueMemory(of: slot) }
  /// The same with another value of this length.
  func valueMemory(of slot: Int, withLength length: Int) -> Int {
    table.valueMemory(of: slot, withLength: length)
  }
  func durability(with schema: Schema) -> Durability { table.durability(with: schema) }
  func ruleProblem(of slot: Int, with value: ValueView) -> HubError? {
    table.ruleProblem(of: slot, with: value)
  }

  @inline(__always) mutating func setValue(_ bytes: ByteView, of slot: Int) {
    let growth = table.setValue(bytes, of: slot)
    if growth != 0 { noteGrowth(growth, of: slot) }
  }

  mutating func setSchema(_ schema: Schema, of slot: Int) {
    let before = ownCharge(of: slot)
    table.setSchema(schema, of: slot)
    if isCounting { accounts.replace(before, by: ownCharge(of: slot)) }
  }

  /// The store's value now belongs to this user.
  @inline(__always) mutating func setSetter(_ uid: UInt32, of slot: Int) {
    let before = table[slot].uid
    if uid == before { return }
    table[slot].uid = uid
    if isCounting, table.valueMemory(of: slot) > 0 { noteSetter(of: slot, after: before) }
  }

  @inline(never)
  private mutating func noteSetter(of slot: Int, after before: UInt32) {
    let charge = valueCharge(of: slot)
    accounts.replace(Charge(kind: .stores, bytes: charge.bytes, uid: before), by: charge)
  }

  @inline(never)
  private mutating func noteGrowth(_ growth: Int, of slot: Int) {
    guard isCounting else { return }
    let charge = Charge(kind: .stores, bytes: abs(growth), uid: table[slot].uid)
    if growth > 0 { accounts.add(charge) } else { accounts.refund(charge) }
  }

  /// What the store costs its creator.
  private func ownCharge(of slot: Int) -> Charge {
    Charge(
      kind: .stores, bytes: MemoryCost.store(table.name(of: slot).count) + table.schemaMemory(of: slot),
      uid: table[slot].creator)
  }

  /// What its value costs the user who has set it.
  private func valueCharge(of slot: Int) -> Charge {
    Charge(kind: .stores, bytes: table.valueMemory(of: slot), uid: table[slot].uid)
  }

  private mutating func charge(_ slot: Int) {
    guard isCounting else { return }
    accounts.countStore(of: table[slot].creator)
    accounts.add(ownCharge(of: slot))
    accounts.add(valueCharge(of: slot))
  }

  private mutating func refund(_ slot: Int) {
    guard isCounting else { return }
    accounts.refund(valueCharge(of: slot))
    accounts.refund(ownCharge(of: slot))
    accounts.discountStore(of: table[slot].creator)
  }

  /// Stores are loaded together.
  private mutating func pause() {
    isCounting = false
    names.pause()
  }

  /// All are loaded.
  private mutating func resume() {
    isCounting = true
    names.resume(used: table.used)
    accounts.forgetStores()
    for slot in 0..<table.used where table[slot].id.raw != 0 { charge(slot) }
  }

  // MARK: Creating and removing

  /// Creates a store without a value under a name that is not taken. Nil: the table is full.
  mutating func insert(_ name: ByteView, schema: Schema, by creator: UInt32) -> Int? {
    guard let slot = table.insert(name, schema: schema) else { return nil }
    table[slot].creator = creator
    table[slot].uid = creator
    table[slot].rule = permissions.rule(for: name)
    names.insert(slot, in: table)
    charge(slot)
    return slot
  }

  /// There are other access rules.
  mutating func assignRules() {
    for slot in 0..<table.used where table[slot].id.raw != 0 {
      table[slot].rule = permissions.rule(for: table.name(of: slot))
    }
  }

  /// Afterwards neither its name nor its number finds the store. Its record stays until `free`, or returns with `link`.
  mutating func unlink(_ slot: Int) {
    refund(slot)
    names.remove(slot, in: table)
    table.unlink(slot)
  }

  mutating func link(_ slot: Int) {
    table.link(slot)
    names.insert(slot, in: table)
    charge(slot)
  }

  /// Frees the slot of an unlinked store that is gone permanently.
  mutating func free(_ slot: Int) { table.free(slot) }
  /// Gives back the memory of stores that have gone, of slots below `top` and not below `floor`. Only between two turns.
  mutating func releaseFree(
    downTo floor: Int, from top: Int, _ giveBack: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    table.releaseFree(downTo: floor, from: top, giveBack)
  }

  /// Completes the order of names, for `walk`.
  ///
  /// - Returns: whether it is complete; if not, the work budget is spent.
  mutating func completeNames(_ effort: inout Effort) -> Bool { names.complete(with: table, &effort) }

  /// The stores whose names begin with these bytes, in name order; nil: there are more than `count`, or the order of names is
  /// not complete.
  func slots(withPrefix prefix: [UInt8], most count: Int) -> [Int]? {
    guard names.isComplete else { return nil }
    var slots: [Int] = []
    prefix.withByteView { prefix in
      walk(after: prefix) { slot in
        guard name(of: slot).hasPrefix(prefix), slots.count <= count else { return false }
        slots.append(slot)
        return true
      }
    }
    return slots.count > count ? nil : slots
  }

  /// Walks the stores in name order, starting after one name, until `body` returns false.
  func walk(after name: ByteView, _ body: (_ slot: Int) -> Bool) { names.walk(after: name, in: table, body) }

  // MARK: Lifetimes

  /// When the next value ends, in CLOCK_BOOTTIME nanoseconds.
  var nextDeadline: UInt64? { lifetimes.deadlines.first?.time }

  /// The next store whose value has ended by `time`, if any.
  func nextEnded(by time: UInt64) -> Int? {
    guard let next = lifetimes.deadlines.first, next.time <= time else { return nil }
    return next.id.slot
  }

  /// How the value ends by itself.
  ///
  /// - Parameters:
  ///   - deadline: in CLOCK_BOOTTIME nanoseconds; 0: at no time.
  ///   - owner: the session with which it ends; nil: with none.
  mutating func setLifetime(of slot: Int, deadline: UInt64, owner: SessionID?) {
    if table[slot].ends { lifetimes.leave(slot, &table) }
    table[slot].deadline = deadline
    table[slot].owner = owner?.raw ?? -1
    lifetimes.enter(slot, &table)
  }

  @inline(__always)
  mutating func clearLifetime(of slot: Int) {
    if table[slot].ends { setLifetime(of: slot, deadline: 0, owner: nil) }
  }

  /// The store with the lowest number whose value ends with the session.
  func firstOwned(by session: SessionID) -> Int? { lifetimes.first(ownedBy: session)?.slot }

  /// The stores whose values end with the session.
  func owned(by session: SessionID) -> [StoreID] { lifetimes.owned(by: session) }

  // MARK: Undoing

  /// Reverts a record, except for its memberships, which the patterns own.
  mutating func undo(_ slot: Int, to saved: StoreTable.Saved, value: ByteView?, schema: Schema?) {
    let isLinked = table[slot].id.raw != 0
    if isLinked { refund(slot) }
    if table[slot].ends { lifetimes.leave(slot, &table) }
    table.undo(slot, to: saved, value: value, schema: schema)
    if table[slot].ends { lifetimes.enter(slot, &table) }
    if isLinked { charge(slot) }
  }

  mutating func pinValue(of slot: Int) { table.pinValue(of: slot) }
  /// How many blocks of values the undo log may return.
  var pinnedCount: Int { table.pinned.count }
  /// The memory of blocks without a store, in bytes.
  var pinnedBytes: Int { table.pinned.bytes }
  /// The part of it whose values a user had set.
  func pinnedBytes(of user: UInt32) -> Int { table.pinned.bytes(of: user) }
  /// Nothing can be undone from here on.
  @inline(__always) mutating func dropPinned() { table.dropPinned() }

  // MARK: From a journal

  /// Creates a store without a value under its own number. Nil: the number is impossible, or its slot is taken.
  ///
  /// - Parameter schema: nil: it has only the type.
  mutating func recover(_ id: StoreID, name: ByteView, type: ValueType, schema: Schema?) -> Int? {
    pause()
    guard let slot = table.recover(id, name: name, type: type, schema: schema) else { return nil }
    table[slot].rule = permissions.rule(for: name)
    return slot
  }

  /// Makes a store without a value, as one of many: it is found after `linkStaged`. Slots must come in ascending order.
  ///
  /// - Parameter schema: nil: it has only the type.
  /// - Returns: false if its slot lies before one that was used.
  @inline(__always)
  mutating func stage(_ id: StoreID, name: ByteView, type: ValueType, schema: Schema?) -> Bool {
    if isCounting { pause() }
    guard table.stage(id, name: name, type: type, in: &staged) else { return false }
    if let schema { table.setSchema(schema, of: id.slot) }
    table[id.slot].rule = permissions.rule(for: name)
    return true
  }

  var hasStaged: Bool { @inline(__always) get { !staged.isEmpty } }

  /// Makes staged stores findable.
  ///
  /// - Returns: slots of stores whose name a younger one has. Free them.
  mutating func linkStaged() -> [Int] { table.link(&staged) }

  /// Notes the lifetime of a store's value according to a journal; nil: it has none.
  mutating func keep(_ lifetime: KeptLifetime?, of id: StoreID) {
    if lifetime != nil || !lifetimes.kept.isEmpty { lifetimes.kept[id] = lifetime }
  }

  /// What was kept, ordered by the stores' numbers. Afterwards nothing is kept.
  mutating func takeKeptLifetimes() -> [(id: StoreID, lifetime: KeptLifetime)] {
    let kept = lifetimes.kept.sorted { $0.key.raw < $1.key.raw }
    lifetimes.kept = [:]
    return kept.map { ($0.key, $0.value) }
  }

  /// All stores have been adopted: new ones get serial numbers above `serial`.
  mutating func finishAdopting(serial: UInt64) {
    table.finishAdopting(serial: serial)
    noteFreeSlots()
    resume()
  }

  /// Slots were freed, and still take memory.
  private mutating func noteFreeSlots() {
    accounts.noteFreed(table.freeSlots.count * MemoryLayout<StoreRecord>.stride)
  }

  // MARK: From an image

  /// Sets the free slots, once all stores exist.
  ///
  /// - Returns: false if these are not the free slots, each once.
  mutating func restoreFreeSlots(_ slots: [Int32], used: Int, lastSerial: UInt64) -> Bool {
    guard table.restoreFreeSlots(slots, used: used, lastSerial: lastSerial) else { return false }
    noteFreeSlots()
    resume()
    return true
  }
}
