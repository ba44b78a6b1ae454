// The order of names that paged lists walk, brought up to date when a client lists. It holds slots; names and stores are
// the table's.

/// New stores wait in `recent`; a list merges them in, and drops removed stores. Creating costs one append.
struct SortedNames {
  private struct Entry {
    var id: StoreID
    var name: StoreName
  }

  private var sorted: [Entry] = []
  private var recent: [Entry] = []
  private var removed = 0

  mutating func insert(_ id: StoreID, _ name: StoreName) { recent.append(Entry(id: id, name: name)) }
  mutating func remove() { removed += 1 }

  /// Removed stores outnumber the others.
  var wantsSettling: Bool { removed > 64 && removed * 2 > sorted.count + recent.count }

  /// Brings the order up to date.
  mutating func settle(with stores: borrowing StoreTable) {
    if removed > 0 {
      sorted.removeAll { stores.find($0.id) == nil }
      recent.removeAll { stores.find($0.id) == nil }
      removed = 0
    }
    guard !recent.isEmpty else { return }
    recent.sort { $0.name < $1.name }
    var merged: [Entry] = []
    merged.reserveCapacity(sorted.count + recent.count)
    var next = 0
    for entry in sorted {
      while next < recent.count, recent[next].name < entry.name {
        merged.append(recent[next])
        next += 1
      }
      merged.append(entry)
    }
    merged.append(contentsOf: recent[next...])
    sorted = merged
    recent = []
  }

  /// Calls `body` with each store whose name comes after `name`, in order, until it returns false.
  func walk(after name: String, _ body: (StoreID) -> Bool) {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      // Strings compare as text; what a client sends may be no valid name, and is compared by its bytes.
      let isBehind = name.utf8.lexicographicallyPrecedes(sorted[middle].name.text.utf8)
      if isBehind { high = middle } else { low = middle + 1 }
    }
    while low < sorted.count, body(sorted[low].id) { low += 1 }
  }
}
