// Owns the order of names that paged lists walk. It holds slots; the table owns the names and stores.

import HubCore

/// Runs of slots in name order, each at most `longestRun`: a store finds its place by two binary searches and moves few others.
///
/// Stores that are loaded together, from a journal or an image, are not sorted then, because most hubs are never listed.
/// Those in slots below `unsorted` may be missing, until `complete` has met them.
struct SortedNames {
  private var runs: [[Int32]] = []
  private var unsorted = 0

  private static let longestRun = 256

  /// No store is missing.
  var isComplete: Bool { unsorted == 0 }

  /// Stores are loaded together: they are not sorted before `complete`.
  mutating func pause() { unsorted = .max }

  /// All are loaded, in slots below `used`.
  mutating func resume(used: Int) { unsorted = used }

  /// A store was created, or its removal was undone.
  mutating func insert(_ slot: Int, in stores: borrowing StoreTable) {
    if slot >= unsorted { put(slot, stores) }
  }

  mutating func remove(_ slot: Int, in stores: borrowing StoreTable) {
    let (run, place, isThere) = find(stores.name(of: slot), stores)
    guard isThere, runs[run][place] == Int32(slot) else { return }
    runs[run].remove(at: place)
    if runs[run].isEmpty { runs.remove(at: run) }
  }

  /// Puts stores into the order that are missing in it.
  ///
  /// - Returns: whether none is missing; if not, the work budget is spent.
  mutating func complete(with stores: borrowing StoreTable, _ effort: inout Effort) -> Bool {
    while unsorted > 0 {
      if effort.isSpent { return false }
      unsorted -= 1
      effort.spend(Cost.passed)
      if stores.find(slot: unsorted) != nil {
        put(unsorted, stores)
        effort.spend(Cost.sorted)
      }
    }
    return true
  }

  /// Calls `body` with each store whose name comes after `name`, in order, until it returns false.
  func walk(after name: ByteView, in stores: borrowing StoreTable, _ body: (_ slot: Int) -> Bool) {
    var (run, place, isThere) = find(name, stores)
    if isThere { place += 1 }
    while run < runs.count {
      while place < runs[run].count {
        if !body(Int(runs[run][place])) { return }
        place += 1
      }
      run += 1
      place = 0
    }
  }

  private mutating func put(_ slot: Int, _ stores: borrowing StoreTable) {
    let (run, place, isThere) = find(stores.name(of: slot), stores)
    if isThere { return }
    guard run < runs.count else { return append(slot) }
    runs[run].insert(Int32(slot), at: place)
    split(run)
  }

  /// The store comes after all others.
  private mutating func append(_ slot: Int) {
    if runs.isEmpty { runs.append([]) }
    runs[runs.count - 1].append(Int32(slot))
    split(runs.count - 1)
  }

  private mutating func split(_ run: Int) {
    guard runs[run].count > SortedNames.longestRun else { return }
    // Names that arrive in sorted order fill the runs.
    let half = run == runs.count - 1 ? SortedNames.longestRun - 1 : SortedNames.longestRun / 2
    let rest = Array(runs[run][half...])
    runs[run].removeLast(rest.count)
    runs.insert(rest, at: run + 1)
  }

  /// The position of the name, existing or not: in the first run that does not end before it.
  private func find(_ name: ByteView, _ stores: borrowing StoreTable) -> (run: Int, place: Int, isThere: Bool)
  {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if stores.name(of: Int(runs[middle][runs[middle].count - 1])).precedes(name) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < runs.count else { return (low, 0, false) }
    let run = low
    (low, high) = (0, runs[run].count)
    while low < high {
      let middle = (low + high) / 2
      if stores.name(of: Int(runs[run][middle])).precedes(name) { low = middle + 1 } else { high = middle }
    }
    return (run, low, stores.name(of: Int(runs[run][low])).equals(name))
  }
}

extension ByteView {
  func hasPrefix(_ prefix: ByteView) -> Bool {
    count >= prefix.count && slice(0, prefix.count).equals(prefix)
  }

  /// Whether it comes before the other in the order of bytes.
  fileprivate func precedes(_ other: ByteView) -> Bool {
    let common = min(count, other.count)
    for index in 0..<common where self[index] != other[index] { return self[index] < other[index] }
    return count < other.count
  }
}
