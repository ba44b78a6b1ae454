// The stores of one pattern in order of their last change, for snapshots and catching up. It holds numbers only.

import HubCore

/// An ascending list of changes. A store's older entries remain as stale ones; when they outnumber the others the list is
/// compacted, a little at each turn's end. A change costs one append, a step of a walk is amortised O(1), and an interrupted
/// walk finds its offset again by binary search: its only state is a position.
struct ChangeOrder: ~Copyable {
  struct Entry {
    var position: UInt64
    var revision: Revision
    var slot: Int32

    /// Whether it is its store's last change. The store may be gone, and its slot as well.
    @inline(__always)
    func isCurrent(in stores: borrowing Stores) -> Bool {
      Int(slot) < stores.used && stores[Int(slot)].position == position
    }
  }

  /// The entries, and among them a gap while the list is being compacted: those before it were looked at, and are kept.
  private var entries = BlockTable<Entry>()
  private var gapStart = 0
  private var gapLength = 0
  private var isCompacting = false
  /// How many entries there were when it was last worked on.
  private var known = 0
  /// How many stores are in the order, which is how many entries are not stale.
  var members = 0

  /// This many entries are examined for each new one: the list is compacted long before it is twice as long again.
  private static let looksPerEntry = 4
  private static let looksPerTurn = 64

  var count: Int { @inline(__always) get { entries.count - gapLength } }

  var last: Entry? { count == 0 ? nil : self[count - 1] }

  subscript(index: Int) -> Entry {
    @inline(__always) get { entries[index < gapStart ? index : index + gapLength] }
  }

  @inline(__always)
  mutating func append(_ entry: Entry) { entries.append(entry) }

  /// The index of the first entry after `position`.
  func index(after position: UInt64) -> Int {
    search { $0.position > position }
  }

  /// The position of the last entry at or below `revision`, 0 if there is none.
  func position(of revision: Revision) -> UInt64 {
    let index = search { $0.revision > revision }
    return index == 0 ? 0 : self[index - 1].position
  }

  private func search(_ isBehind: (Entry) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  var wantsCompaction: Bool {
    @inline(__always) get { isCompacting || count >= 64 && count > 2 * members }
  }

  /// There are more than a block of the table holds, or a gap is as long.
  var hasManyStale: Bool { entries.count - members > 1 << 10 }

  /// Looks at some of the entries, and drops the stale ones: more of them the more have come.
  ///
  /// - Returns: at how many.
  @discardableResult
  mutating func compact(keeping isCurrent: (Entry) -> Bool) -> Int {
    let new = isCompacting ? entries.count - known : 0
    let looks = ChangeOrder.looksPerTurn + ChangeOrder.looksPerEntry * new
    _ = compact(looks: looks, keeping: isCurrent)
    return looks
  }

  /// - Returns: whether all of them were looked at.
  mutating func compact(looks: Int, keeping isCurrent: (Entry) -> Bool) -> Bool {
    isCompacting = true
    known = entries.count
    var looks = looks
    while looks > 0, gapStart + gapLength < entries.count {
      let entry = entries[gapStart + gapLength]
      if isCurrent(entry) {
        entries[gapStart] = entry
        gapStart += 1
      } else {
        gapLength += 1
      }
      looks -= 1
    }
    guard gapStart + gapLength == entries.count else { return false }
    entries.removeLast(gapLength)
    (gapStart, gapLength, isCompacting) = (0, 0, false)
    return true
  }
}
