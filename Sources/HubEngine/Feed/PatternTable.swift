// The distinct patterns of all watches, each kept once: which stores match, which sessions follow live, what changed this turn.

import HubCore

/// Invariants: pattern 0 is `**` for clients that may read everything, and is never removed; once a turn's changes are
/// noted, a store is a member of exactly the whole patterns that match its name, and each pattern's order holds each
/// member once at its current position. That all stores are members of pattern 0 is in no record.
struct PatternTable: ~Copyable {
  // Not private because building patterns has its own file, as does the next one.
  var records = Table<PatternRecord>()
  var indices = Shards<PatternKey, Int32>()
  var trie = PatternTrie()
  private var freeIndices: [Int32] = []
  var memberships = MembershipTable()
  /// Patterns with changes this turn.
  private(set) var changed = Table<Int32>()
  /// Unused patterns that still have members. Bounded by the number of patterns.
  private var ending: [Int32] = []
  /// One for each walk, and each request within a walk. 64 bits last for centuries.
  var newestStamp: UInt64
  /// Whether `newUses` is kept.
  var followsUse = false
  /// Those that are used since, or no longer, or otherwise. Bounded by the number of patterns.
  var newUses = Table<Int32>()
  /// What `findPatterns` has found.
  private var matching = Table<Int32>()

  static let everything: Int32 = 0

  /// - Parameter walks: how many stamps there were already, for tests.
  init(walks: UInt64 = 0) {
    newestStamp = walks
    records.append(PatternRecord(.everything, references: 1))
    records[0].stage = .whole
    indices[PatternKey(text: NamePattern.everything.text, audience: Permissions.everything)] = 0
  }

  /// How many patterns are in use, `**` included.
  var count: Int { indices.count }
  /// All indices are below this.
  var limit: Int32 { Int32(records.count) }

  subscript(index: Int32) -> PatternRecord {
    @inline(__always) unsafeAddress { UnsafePointer(records.address(of: Int(index))) }
    @inline(__always) unsafeMutableAddress { records.address(of: Int(index)) }
  }

  // MARK: Patterns

  /// The pattern's index, one use more. `build` must complete it before it is followed.
  ///
  /// - Parameter interval: see `Watch`.
  mutating func retain(_ pattern: NamePattern, for audience: AudienceIndex, _ interval: UInt32) -> Int32 {
    let key = PatternKey(text: pattern.text, audience: audience)
    if let index = indices[key] {
      records[Int(index)].references += 1
      beginUse(of: index, interval)
      return index
    }
    let index: Int32
    if let free = freeIndices.popLast() {
      index = free
      records[Int(index)] = PatternRecord(pattern, for: audience, references: 1)
    } else {
      index = Int32(records.count)
      records.append(PatternRecord(pattern, for: audience, references: 1))
    }
    records[Int(index)].searchStart = records[0].order.last?.position ?? 0
    indices[key] = index
    beginUse(of: index, interval)
    return index
  }

  /// A use of the pattern ends. With the last one the pattern ends; `tidy` drops its members.
  mutating func release(_ index: Int32, _ interval: UInt32) {
    records[Int(index)].references -= 1
    endUse(of: index, interval)
    guard records[Int(index)].references == 0 else { return }
    indices[
      PatternKey(text: records[Int(index)].pattern.text, audience: records[Int(index)].audience)] = nil
    if records[Int(index)].node >= 0 { leave(index) }
    records[Int(index)].stage = .ending
    ending.append(index)
  }

  // MARK: The trie

  mutating func enter(_ index: Int32) {
    let node = trie.insert(records[Int(index)].pattern)
    let next = trie[node]
    records[Int(index)].node = node
    records[Int(index)].nextAtNode = next
    if next >= 0 { records[Int(next)].previousAtNode = index }
    trie[node] = index
  }

  private mutating func leave(_ index: Int32) {
    let (node, next) = (records[Int(index)].node, records[Int(index)].nextAtNode)
    let previous = records[Int(index)].previousAtNode
    if previous < 0 { trie[node] = next } else { records[Int(previous)].nextAtNode = next }
    if next >= 0 { records[Int(next)].previousAtNode = previous }
    trie.prune(node)
    records[Int(index)].node = -1
    records[Int(index)].previousAtNode = -1
  }

  // MARK: Stores

  /// Makes a new store a member of every pattern that matches it. Its first change puts it into their orders.
  mutating func admit(_ slot: Int, stores: inout Stores, _ effort: inout Effort) {
    records[0].order.members += 1
    stores[slot].patternCount = 1
    // Only `**` exists: nothing is watched.
    if indices.count == 1 { return }
    findPatterns(of: slot, in: stores, &effort)
    for place in matching.indices {
      let index = matching[place]
      guard records[Int(index)].stage == .whole else { continue }
      addMembership(of: slot, in: index, stores: &stores)
      effort.spend(Cost.membership)
    }
  }

  /// Finds the patterns that concern a store besides `**`, the one that is its name also before it is whole: see `matching`.
  private mutating func findPatterns(of slot: Int, in stores: borrowing Stores, _ effort: inout Effort) {
    matching.removeAll()
    let name = stores.name(of: slot)
    trie.match(name, &effort)
    for place in trie.found.indices {
      var index = trie[trie.found[place]]
      while index >= 0 {
        if concerns(slot, index, stores) { matching.append(index) }
        effort.spend(Cost.match(name.count, records[Int(index)].pattern))
        index = records[Int(index)].nextAtNode
      }
    }
    // Names that are patterns of audiences with all rights are not in the tree.
    if let index = indices[PatternKey(text: name.text, audience: Permissions.everything)] {
      matching.append(index)
    }
  }

  /// What it will take to find the patterns that concern a new store of this name; nil: more than `most`.
  mutating func costOfCreating(_ name: ByteView, most: Int) -> Int? {
    var effort = Effort(most)
    guard trie.match(name, &effort, givesUp: true) else { return nil }
    for place in trie.found.indices {
      var index = trie[trie.found[place]]
      while index >= 0 {
        effort.spend(Cost.membership + Cost.match(name.count, records[Int(index)].pattern))
        if effort.isSpent { return nil }
        index = records[Int(index)].nextAtNode
      }
    }
    return effort.spent
  }

  /// Whether the store matches, and may be read by those whose pattern it is.
  func concerns(_ slot: Int, _ index: Int32, _ stores: borrowing Stores) -> Bool {
    records[Int(index)].pattern.matches(stores.name(of: slot))
      && stores.isVisible(slot, to: records[Int(index)].audience)
  }

  /// Ends all memberships of a store that was removed.
  mutating func dismiss(_ slot: Int, stores: inout Stores, _ effort: inout Effort) {
    effort.spend(Cost.membership &* Int(stores[slot].patternCount))
    while stores[slot].memberships >= 0 {
      removeMembership(stores[slot].memberships, stores: &stores)
    }
    records[0].order.members -= Int(stores[slot].patternCount)
    stores[slot].patternCount = 0
  }

  /// How many watches follow a store, live or not.
  mutating func watchCount(of slot: Int, in stores: borrowing Stores, _ effort: inout Effort) -> UInt32 {
    // The pattern `**` exists without a watch.
    var count = records[0].references - 1
    var node = stores[slot].memberships
    if stores[slot].patternCount == 0 { return watchCount(ofNew: slot, stores, &effort) }
    while node >= 0 {
      effort.spend(Cost.passed)
      count += records[Int(memberships[node].pattern)].references
      node = memberships[node].nextOfStore
    }
    return UInt32(clamping: count)
  }

  /// The same for a store whose creation is not noted yet.
  private mutating func watchCount(
    ofNew slot: Int, _ stores: borrowing Stores, _ effort: inout Effort
  ) -> UInt32 {
    var count = records[0].references - 1
    findPatterns(of: slot, in: stores, &effort)
    for place in matching.indices { count += records[Int(matching[place])].references }
    return UInt32(clamping: count)
  }

  /// Notes a change of a store in the orders of its patterns, and for their live watchers.
  @inline(__always)
  mutating func note(_ change: PendingChange, _ record: StoreRecord, _ effort: inout Effort) {
    // A store that changed again appears in the orders only with its last change.
    let isNewest = record.position == change.end && change.kind != .removed
    note(change, record.revision, isNewest, in: 0)
    effort.spend(Cost.membership)
    var node = record.memberships
    while node >= 0 {
      let membership = memberships[node]
      let index = Int(membership.pattern)
      node = membership.nextOfStore
      effort.spend(Cost.membership)
      if records[index].stage != .building { note(change, record.revision, isNewest, in: index) }
    }
  }

  @inline(__always)
  private mutating func note(
    _ change: PendingChange, _ revision: Revision, _ isNewest: Bool, in index: Int
  ) {
    if isNewest {
      records[index].order.append(
        ChangeOrder.Entry(position: change.end, revision: revision, slot: change.slot))
    }
    noteForWatchers(index, change)
  }

  @inline(__always)
  private mutating func noteForWatchers(_ index: Int, _ change: PendingChange) {
    if records[index].watchers.isEmpty {
      if change.kind == .removed || records[index].order.wantsCompaction { touch(index) }
      return
    }
    if records[index].turn.isEmpty { changed.append(Int32(index)) }
    records[index].turn.append(
      TurnEntry(
        end: change.end, length: change.length, slot: change.slot, isRequired: change.kind != .changed))
    if change.isGrouped { records[index].turnHasGroup = true }
  }

  /// Patterns without live watchers that need compaction at the turn's end.
  private var untended = Table<Int32>()

  @inline(__always) var hasUntended: Bool { !untended.isEmpty }

  private mutating func touch(_ index: Int) {
    if untended.last != Int32(index) { untended.append(Int32(index)) }
  }

  // MARK: Turns

  /// Forgets the turn's changes and compacts the orders that need it.
  ///
  /// - Returns: whether that is done; if not, the work budget is spent.
  mutating func endTurn(stores: inout Stores, _ effort: inout Effort) -> Bool {
    while let index = changed.last {
      if effort.isSpent { return false }
      records[Int(index)].turn.removeAll()
      records[Int(index)].turnHasGroup = false
      compact(Int(index), stores: &stores, &effort)
      changed.removeLast()
    }
    while let index = untended.last {
      if effort.isSpent { return false }
      compact(Int(index), stores: &stores, &effort)
      untended.removeLast()
    }
    return true
  }

  @inline(__always)
  private mutating func compact(_ index: Int, stores: inout Stores, _ effort: inout Effort) {
    effort.spend(Cost.membership)
    guard records[index].order.wantsCompaction else { return }
    effort.spend(Cost.passed &* records[index].order.compact { $0.isCurrent(in: stores) })
  }

  /// Members of patterns that have ended remain.
  var isUntidy: Bool { !ending.isEmpty }

  /// Drops members of patterns that have ended, between two turns.
  mutating func tidy(stores: inout Stores, _ effort: inout Effort) {
    while let index = ending.last {
      // Its claims have not been notified yet.
      if records[Int(index)].hasNewUse { return }
      while records[Int(index)].memberships >= 0 {
        if effort.isSpent { return }
        removeMembership(records[Int(index)].memberships, stores: &stores)
        effort.spend(Cost.membership)
      }
      effort.spend(Cost.pattern(records[Int(index)].pattern))
      ending.removeLast()
      stores.accounts.refund(charge(index))
      records[Int(index)] = PatternRecord(.everything)
      records[Int(index)].stage = .free
      freeIndices.append(index)
      if effort.isSpent { return }
    }
  }

  // MARK: Memberships

  /// A watch may not make a store a member of more patterns: each of its changes is noted in all of them, at once.
  static let mostPerStore: UInt16 = 4096

  /// A pattern has made a store a member of more than that since it was last asked.
  private var isCrowded = false

  mutating func takeCrowding() -> Bool {
    defer { isCrowded = false }
    return isCrowded
  }

  mutating func join(_ index: Int32, _ slot: Int, stores: inout Stores) {
    addMembership(of: slot, in: index, stores: &stores)
    if stores[slot].patternCount > PatternTable.mostPerStore { isCrowded = true }
    putInOrder(slot, of: index, stores)
  }

  mutating func putInOrder(_ slot: Int, of index: Int32, _ stores: borrowing Stores) {
    records[Int(index)].order.append(
      ChangeOrder.Entry(
        position: stores[slot].position, revision: stores[slot].revision, slot: Int32(slot)))
  }

  private mutating func addMembership(of slot: Int, in index: Int32, stores: inout Stores) {
    memberships.add(
      index, slot, ofStore: &stores[slot].memberships, ofPattern: &records[Int(index)].memberships)
    records[Int(index)].order.members += 1
    stores[slot].patternCount &+= 1
    stores.accounts.add(membershipCharge(of: Int(index)))
  }

  private func membershipCharge(of index: Int) -> Charge {
    Charge(kind: .watches, bytes: MemoryCost.membership, uid: records[index].payer)
  }

  private mutating func removeMembership(_ node: Int32, stores: inout Stores) {
    let (index, slot) = (Int(memberships[node].pattern), Int(memberships[node].slot))
    records[index].order.members -= 1
    stores[slot].patternCount &-= 1
    stores.accounts.refund(membershipCharge(of: index))
    memberships.remove(node, ofStore: &stores[slot].memberships, ofPattern: &records[index].memberships)
  }
}
