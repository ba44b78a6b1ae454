// Since when the oldest written bytes have been waiting for the disk, to a tenth of a second.

import HubCore
import HubEngine

struct UnsyncedWrites {
  /// Ends of runs of records, each with the time of its first.
  private var runs: [(end: JournalPosition, since: UInt64)] = []

  private static let runTime: UInt64 = 100_000_000
  /// More would only be distinguished once nothing is acknowledged.
  private static let mostRuns = 16

  /// A record was written that ends there.
  @inline(__always)
  mutating func add(upTo end: JournalPosition, at now: UInt64) {
    if let last = runs.last,
      now &- last.since < UnsyncedWrites.runTime || runs.count == UnsyncedWrites.mostRuns
    {
      runs[runs.count - 1].end = end
    } else {
      runs.append((end, now))
    }
  }

  /// When the oldest bytes that are not on the disk were written; nil: all are.
  mutating func since(_ durable: JournalPosition) -> UInt64? {
    while let first = runs.first, first.end <= durable { runs.removeFirst() }
    return runs.first?.since
  }
}
