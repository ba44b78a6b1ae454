// The removals that the hub still remembers, for sessions and bookmarks that have not seen them. Bounded: the oldest are
// dropped.

import HubCore

/// Invariant: positions ascend; `floor` is the position of the newest forgotten removal, so a reader that has seen
/// everything up to the floor or beyond can get every removal since.
struct Removals {
  struct Entry {
    /// Where the removal's frame ends in the change log.
    var position: UInt64
    var removal: HubEvent.Removal
    var name: StoreName
    /// Who had created the store.
    var creator = StoreRecord.byHub
    /// The access rule that decides on the name.
    var rule: Int32 = 0
  }

  private var entries: [Entry] = []
  private var first = 0
  private var numbers: [StoreID: Entry] = [:]
  let limit: Int
  private(set) var floor: UInt64
  /// The revision at the floor.
  private(set) var floorRevision: Revision

  init(limit: Int, floor: UInt64 = 0, floorRevision: Revision = 0) {
    self.limit = max(1, limit)
    self.floor = floor
    self.floorRevision = floorRevision
  }

  var count: Int { entries.count - first }

  /// Oldest first.
  func forEach(_ body: (Entry) -> Void) { entries[first...].forEach(body) }

  mutating func append(_ entry: Entry) {
    entries.append(entry)
    numbers[entry.removal.id] = entry
    if count > limit {
      // The floor is already higher if all bookmarks of an earlier run of the hub were refused.
      floor = max(floor, entries[first].position)
      floorRevision = max(floorRevision, entries[first].removal.revision)
      numbers[entries[first].removal.id] = nil
      first += 1
    }
    if first >= 64, first * 2 > entries.count {
      entries.removeFirst(first)
      first = 0
    }
  }

  /// The first removal after `position`.
  func next(after position: UInt64) -> Entry? {
    var low = first
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].position > position { high = middle } else { low = middle + 1 }
    }
    return low < entries.count ? entries[low] : nil
  }

  /// The removal of a store, if it is still remembered.
  func entry(of id: StoreID) -> Entry? { numbers[id] }

  /// Applies other access rules: finds the one that decides on each name.
  mutating func assignRules(_ permissions: borrowing Permissions) {
    for index in first..<entries.count {
      entries[index].rule = Array(entries[index].name.text.utf8).withByteView { permissions.rule(for: $0) }
      numbers[entries[index].removal.id] = entries[index]
    }
  }

  /// The position of the last removal at or below a revision; at least the floor.
  func position(of revision: Revision) -> UInt64 {
    var low = first
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].removal.revision > revision { high = middle } else { low = middle + 1 }
    }
    return low == first ? floor : entries[low - 1].position
  }

  mutating func rewind(to position: UInt64) {
    while entries.count > first, let last = entries.last, last.position > position {
      numbers[last.removal.id] = nil
      entries.removeLast()
    }
  }
}
