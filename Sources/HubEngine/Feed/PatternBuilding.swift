// How a new pattern finds the stores that match it: immediately among a few names, or step by step among all stores.

import HubCore

extension PatternTable {
  /// Looks for the pattern's stores. Every change must be noted before.
  ///
  /// - Returns: whether all were found; if not, the work budget is spent.
  mutating func build(_ index: Int32, stores: inout Stores, _ effort: inout Effort) -> Bool {
    guard records[Int(index)].stage == .building else { return true }
    if records[Int(index)].pattern.isLiteral {
      let name = Array(records[Int(index)].pattern.text.utf8)
      effort.spend(Cost.found)
      if let slot = name.withByteView({ stores.find($0) }),
        stores.isVisible(slot, to: records[Int(index)].audience)
      {
        join(index, slot, stores: &stores)
      }
      // One name may have a pattern for every audience: the tree finds them, like globs.
      if records[Int(index)].audience != Permissions.everything {
        effort.spend(Cost.pattern(records[Int(index)].pattern))
        enter(index)
      }
    } else {
      if !findFew(index, stores: &stores, &effort) {
        guard search(index, stores: &stores, &effort) else { return false }
      }
      effort.spend(Cost.pattern(records[Int(index)].pattern))
      enter(index)
    }
    records[Int(index)].stage = .whole
    return true
  }

  /// All members of a glob have joined it.
  mutating func becomeWhole(_ index: Int32) {
    enter(index)
    records[Int(index)].stage = .whole
  }

  /// Finds the pattern's stores among the few whose names begin as it does.
  ///
  /// - Returns: whether there are only a few.
  private mutating func findFew(_ index: Int32, stores: inout Stores, _ effort: inout Effort) -> Bool {
    let prefix = records[Int(index)].pattern.literalPrefix
    guard records[Int(index)].searched == 0, !prefix.isEmpty,
      var slots = stores.slots(withPrefix: prefix, most: PatternTable.few)
    else { return false }
    effort.spend(Cost.sorted)
    // `a.**` also matches `a`.
    if let slot = prefix.dropLast().withUnsafeBytes({ stores.find(ByteView($0)) }) { slots.append(slot) }
    slots.sort { stores[$0].position < stores[$1].position }
    for slot in slots {
      effort.spend(Cost.match(stores.name(of: slot).count, records[Int(index)].pattern) + Cost.membership)
      if concerns(slot, index, stores) { join(index, slot, stores: &stores) }
    }
    return true
  }

  /// The stores examined in one step.
  private static let few = 256

  /// Walks all stores in the order of their last change, from where it stopped before.
  private mutating func search(_ index: Int32, stores: inout Stores, _ effort: inout Effort) -> Bool {
    var place = records[0].order.index(after: records[Int(index)].searched)
    while place < records[0].order.count {
      if effort.isSpent { return false }
      let entry = records[0].order[place]
      let slot = Int(entry.slot)
      place += 1
      records[Int(index)].searched = entry.position
      guard entry.isCurrent(in: stores) else {
        effort.spend(Cost.passed)
        continue
      }
      effort.spend(Cost.match(stores.name(of: slot).count, records[Int(index)].pattern))
      guard concerns(slot, index, stores) else { continue }
      if entry.position > records[Int(index)].searchStart, isMember(slot, of: index, stores, &effort) {
        putInOrder(slot, of: index, stores)
      } else {
        join(index, slot, stores: &stores)
        effort.spend(Cost.membership)
      }
    }
    return true
  }

  private func isMember(
    _ slot: Int, of index: Int32, _ stores: borrowing Stores, _ effort: inout Effort
  ) -> Bool {
    var node = stores[slot].memberships
    while node >= 0 {
      effort.spend(Cost.passed)
      if memberships[node].pattern == index { return true }
      node = memberships[node].nextOfStore
    }
    return false
  }
}
