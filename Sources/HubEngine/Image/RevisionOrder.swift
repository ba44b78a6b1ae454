// Sorts stores by their revisions when all are loaded together: digit by digit, because comparing a million of them takes a tenth
// of a second.

import HubCore

struct RevisionOrder {
  struct Entry {
    var revision: Revision
    var slot: Int32
  }

  private(set) var entries: [Entry] = []
  private var isSorted = true
  private var least = Revision.max
  private var greatest: Revision = 0

  /// Bits of a digit: its counts fit into the processor's nearest memory.
  private static let digit = 11

  init(capacity: Int) { entries.reserveCapacity(capacity) }

  @inline(__always)
  mutating func append(_ slot: Int32, revision: Revision) {
    if revision < greatest { isSorted = false }
    least = min(least, revision)
    greatest = max(greatest, revision)
    entries.append(Entry(revision: revision, slot: slot))
  }

  /// Sorts by revision. Entries of the same revision, in a transaction, keep their order.
  mutating func sort() {
    if isSorted { return }
    let bits = Revision.bitWidth - (greatest - least).leadingZeroBitCount
    for shift in stride(from: 0, to: bits, by: RevisionOrder.digit) { sort(by: UInt64(shift)) }
    isSorted = true
  }

  private mutating func sort(by shift: UInt64) {
    let mask = UInt64(1) << UInt64(RevisionOrder.digit) - 1
    let least = least
    var places = [Int](repeating: 0, count: Int(mask) + 1)
    for entry in entries { places[Int((entry.revision - least) >> shift & mask)] += 1 }
    var sum = 0
    for digit in places.indices { (places[digit], sum) = (sum, sum + places[digit]) }
    entries = [Entry](unsafeUninitializedCapacity: entries.count) { sorted, count in
      for entry in entries {
        let digit = Int((entry.revision - least) >> shift & mask)
        sorted.initializeElement(at: places[digit], to: entry)
        places[digit] += 1
      }
      count = entries.count
    }
  }
}
