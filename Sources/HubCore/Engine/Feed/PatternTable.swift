// The distinct patterns of all watches, each kept once: which stores match, who follows live, what changed this turn.

/// One store's membership in one pattern, in a list per store.
private struct Membership {
  var pattern: Int32
  var next: Int32
}

/// A change of this turn that concerns a pattern.
struct TurnEntry {
  /// Where its frame ends in the change log.
  var end: UInt64
  var length: UInt32
  var slot: Int32
  /// A creation or a removal: sent even if the store has changed again since.
  var isRequired: Bool
}

/// One pattern and everything that is looked up by it.
struct PatternRecord: ~Copyable {
  var pattern: NamePattern
  /// How many watches use it, live or not. At zero the pattern is removed.
  var references = 0
  /// The live ones, as indices of watches.
  var watchers = Table<Int32>()
  var order = ChangeOrder()
  /// This turn's changes, kept only while there are live watchers.
  var turn = Table<TurnEntry>()
  var turnHasGroup = false
  /// Marks the patterns of one session during a walk.
  var stamp: UInt32 = 0

  init(_ pattern: NamePattern, references: Int = 0) {
    self.pattern = pattern
    self.references = references
  }
}

/// Invariants: pattern 0 is `**` and is never removed; a store is a member of exactly the patterns that match its name;
/// each pattern's order holds each member once at its current position.
struct PatternTable: ~Copyable {
  private var records = Table<PatternRecord>()
  private var indices: [String: Int32] = [:]
  private var globs: [Int32] = []
  private var freeIndices: [Int32] = []
  private var memberships = Table<Membership>()
  private var freeMembership: Int32 = -1
  /// Patterns with changes this turn.
  private(set) var changed = Table<Int32>()
  private var newestStamp: UInt32 = 0

  static let everything: Int32 = 0

  init() {
    records.append(PatternRecord(.everything, references: 1))
    indices[NamePattern.everything.text] = 0
    globs.append(0)
  }

  var count: Int { indices.count }
  /// All indices are below this.
  var limit: Int32 { Int32(records.count) }

  subscript(index: Int32) -> PatternRecord {
    @inline(__always) unsafeAddress { UnsafePointer(records.address(of: Int(index))) }
    @inline(__always) unsafeMutableAddress { records.address(of: Int(index)) }
  }

  // MARK: Patterns

  /// The pattern's index; a new pattern gets the stores that match it.
  mutating func retain(_ pattern: NamePattern, stores: inout Stores) -> Int32 {
    if let index = indices[pattern.text] {
      records[Int(index)].references += 1
      return index
    }
    let index: Int32
    if let free = freeIndices.popLast() {
      index = free
      records[Int(index)] = PatternRecord(pattern, references: 1)
    } else {
      index = Int32(records.count)
      records.append(PatternRecord(pattern, references: 1))
    }
    indices[pattern.text] = index
    if pattern.isLiteral {
      let slot = Array(pattern.text.utf8).withByteView { stores.find($0) }
      if let slot { join(index, slot, stores: &stores) }
    } else {
      globs.append(index)
      for place in records[0].order.entries.indices {
        let entry = records[0].order.entries[place]
        let slot = Int(entry.slot)
        guard stores[slot].position == entry.position, pattern.matches(stores.name(of: slot)) else {
          continue
        }
        join(index, slot, stores: &stores)
      }
    }
    return index
  }

  mutating func release(_ index: Int32, stores: inout Stores) {
    records[Int(index)].references -= 1
    guard records[Int(index)].references == 0 else { return }
    let pattern = records[Int(index)].pattern
    for place in records[Int(index)].order.entries.indices {
      let entry = records[Int(index)].order.entries[place]
      guard stores[Int(entry.slot)].position == entry.position else { continue }
      dropMembership(of: Int(entry.slot), in: index, stores: &stores)
    }
    indices[pattern.text] = nil
    if !pattern.isLiteral { globs.removeAll { $0 == index } }
    forget(changed: index)
    records[Int(index)] = PatternRecord(.everything)
    freeIndices.append(index)
  }

  // MARK: Stores

  /// Makes a new store a member of every pattern that matches it. Its first change puts it into their orders.
  mutating func admit(_ slot: Int, stores: inout Stores) {
    let name = stores.name(of: slot)
    for index in globs where index == PatternTable.everything || records[Int(index)].pattern.matches(name) {
      addMembership(of: slot, in: index, stores: &stores)
    }
    if let index = indices[name.text] { addMembership(of: slot, in: index, stores: &stores) }
  }

  /// Ends all memberships of a store that is being removed.
  mutating func dismiss(_ slot: Int, stores: inout Stores) {
    var node = stores[slot].memberships
    while node >= 0 {
      let next = memberships[Int(node)].next
      records[Int(memberships[Int(node)].pattern)].order.members -= 1
      memberships[Int(node)].next = freeMembership
      freeMembership = node
      node = next
    }
    stores[slot].memberships = -1
  }

  /// How many watches follow a store, live or not.
  func watchCount(of record: StoreRecord) -> UInt32 {
    // The pattern `**` exists without a watch.
    var count = -1
    var node = record.memberships
    while node >= 0 {
      count += records[Int(memberships[Int(node)].pattern)].references
      node = memberships[Int(node)].next
    }
    return UInt32(clamping: count)
  }

  /// Notes a change of a store in the orders of its patterns, and for their live watchers.
  @inline(__always)
  mutating func note(
    _ record: StoreRecord, slot: Int, end: UInt64, length: Int, created: Bool, grouped: Bool
  ) {
    var node = record.memberships
    while node >= 0 {
      let index = Int(memberships[Int(node)].pattern)
      records[index].order.append(
        ChangeOrder.Entry(position: end, revision: record.revision, slot: Int32(slot)))
      noteForWatchers(index, slot: slot, end: end, length: length, required: created, grouped: grouped)
      node = memberships[Int(node)].next
    }
  }

  /// Notes a store's removal, for live watchers only: the orders recognise it as stale by its position.
  mutating func noteRemoval(_ record: StoreRecord, slot: Int, end: UInt64, length: Int, grouped: Bool) {
    var node = record.memberships
    while node >= 0 {
      let index = Int(memberships[Int(node)].pattern)
      noteForWatchers(index, slot: slot, end: end, length: length, required: true, grouped: grouped)
      if records[index].watchers.isEmpty { touch(index) }
      node = memberships[Int(node)].next
    }
  }

  @inline(__always)
  private mutating func noteForWatchers(
    _ index: Int, slot: Int, end: UInt64, length: Int, required: Bool, grouped: Bool
  ) {
    if records[index].watchers.isEmpty {
      if records[index].order.wantsCompaction { touch(index) }
      return
    }
    if records[index].turn.isEmpty { changed.append(Int32(index)) }
    records[index].turn.append(
      TurnEntry(end: end, length: UInt32(length), slot: Int32(slot), isRequired: required))
    if grouped { records[index].turnHasGroup = true }
  }

  /// Patterns without live watchers that need compaction at the turn's end.
  private var untended = Table<Int32>()

  private mutating func touch(_ index: Int) {
    if untended.last != Int32(index) { untended.append(Int32(index)) }
  }

  // MARK: Turns

  /// Forgets the turn's changes and compacts the orders that need it.
  mutating func endTurn(stores: borrowing Stores) {
    for place in changed.indices {
      let index = changed[place]
      records[Int(index)].turn.removeAll()
      records[Int(index)].turnHasGroup = false
      compact(Int(index), stores: stores)
    }
    changed.removeAll()
    for place in untended.indices { compact(Int(untended[place]), stores: stores) }
    untended.removeAll()
  }

  private mutating func forget(changed index: Int32) {
    var kept = 0
    for place in changed.indices where changed[place] != index {
      changed[kept] = changed[place]
      kept += 1
    }
    changed.removeLast(changed.count - kept)
  }

  @inline(__always)
  private mutating func compact(_ index: Int, stores: borrowing Stores) {
    guard records[index].order.wantsCompaction else { return }
    records[index].order.compact { stores[Int($0.slot)].position == $0.position }
  }

  /// Undoes what was noted after `position` for the patterns of a store.
  mutating func rewind(_ record: StoreRecord, to position: UInt64) {
    var node = record.memberships
    while node >= 0 {
      let index = Int(memberships[Int(node)].pattern)
      records[index].order.rewind(to: position)
      while let last = records[index].turn.last, last.end > position { records[index].turn.removeLast() }
      if records[index].turn.isEmpty { records[index].turnHasGroup = false }
      node = memberships[Int(node)].next
    }
  }

  // MARK: A session's patterns, for a walk

  mutating func beginStamping() { newestStamp &+= 1 }
  mutating func stamp(_ index: Int32) { records[Int(index)].stamp = newestStamp }

  /// Whether one of the store's patterns was stamped since `beginStamping`.
  @inline(__always)
  func isStamped(_ record: StoreRecord) -> Bool {
    var node = record.memberships
    while node >= 0 {
      if records[Int(memberships[Int(node)].pattern)].stamp == newestStamp { return true }
      node = memberships[Int(node)].next
    }
    return false
  }

  // MARK: Memberships

  private mutating func join(_ index: Int32, _ slot: Int, stores: inout Stores) {
    addMembership(of: slot, in: index, stores: &stores)
    let record = stores[slot]
    records[Int(index)].order.append(
      ChangeOrder.Entry(position: record.position, revision: record.revision, slot: Int32(slot)))
  }

  private mutating func addMembership(of slot: Int, in index: Int32, stores: inout Stores) {
    let node: Int32
    let membership = Membership(pattern: index, next: stores[slot].memberships)
    if freeMembership >= 0 {
      node = freeMembership
      freeMembership = memberships[Int(node)].next
      memberships[Int(node)] = membership
    } else {
      node = Int32(memberships.count)
      memberships.append(membership)
    }
    stores[slot].memberships = node
    records[Int(index)].order.members += 1
  }

  /// Of a pattern that nobody follows any more: its own count of members goes with it.
  private mutating func dropMembership(of slot: Int, in index: Int32, stores: inout Stores) {
    var previous: Int32 = -1
    var node = stores[slot].memberships
    while node >= 0 {
      let next = memberships[Int(node)].next
      if memberships[Int(node)].pattern == index {
        if previous < 0 { stores[slot].memberships = next } else { memberships[Int(previous)].next = next }
        memberships[Int(node)].next = freeMembership
        freeMembership = node
        return
      }
      previous = node
      node = next
    }
  }
}
