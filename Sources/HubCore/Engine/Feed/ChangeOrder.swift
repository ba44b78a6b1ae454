// The stores of one pattern in order of their last change, for snapshots and catching up. It holds numbers only.

/// An ascending array of changes. A store's older entries remain as stale ones until they outnumber the others and the
/// array is compacted. A change costs one append, a step of a walk is amortised O(1), and an interrupted walk finds its
/// offset again by binary search: its only state is a position.
struct ChangeOrder: ~Copyable {
  struct Entry {
    var position: UInt64
    var revision: Revision
    var slot: Int32
  }

  private(set) var entries = Table<Entry>()
  /// How many stores are in the order, which is how many entries are not stale.
  var members = 0

  @inline(__always)
  mutating func append(_ entry: Entry) { entries.append(entry) }

  /// The index of the first entry after `position`.
  func index(after position: UInt64) -> Int {
    search { $0.position > position }
  }

  /// The position of the last entry at or below `revision`, 0 if there is none.
  func position(of revision: Revision) -> UInt64 {
    let index = search { $0.revision > revision }
    return index == 0 ? 0 : entries[index - 1].position
  }

  private func search(_ isBehind: (Entry) -> Bool) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if isBehind(entries[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Removes the entries after `position`.
  mutating func rewind(to position: UInt64) {
    while let last = entries.last, last.position > position { entries.removeLast() }
  }

  var wantsCompaction: Bool { @inline(__always) get { entries.count >= 64 && entries.count > 2 * members } }

  mutating func compact(keeping isCurrent: (Entry) -> Bool) {
    var kept = 0
    for index in entries.indices where isCurrent(entries[index]) {
      entries[kept] = entries[index]
      kept += 1
    }
    entries.removeLast(entries.count - kept)
  }
}
