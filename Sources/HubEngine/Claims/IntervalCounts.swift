// Owns the shortest interval in use: among the watches of a pattern, or among the patterns that a claim's watchers use.

/// Intervals in milliseconds, each as often as it was added; 0: every change is wanted.
struct IntervalCounts {
  private(set) var count = 0
  /// Those that are not 0. Usually there are few different ones: of a pattern no more than connections that watch it.
  private var spaced: [UInt32: Int] = [:]
  private var spacedCount = 0
  /// Also 0 if there are none.
  private(set) var least: UInt32 = 0

  /// What adding or removing one costs at most.
  var cost: Int { Cost.passed &* (1 &+ spaced.count) }

  mutating func add(_ interval: UInt32) {
    least = count == 0 ? interval : min(least, interval)
    count += 1
    if interval == 0 { return }
    spacedCount += 1
    spaced[interval, default: 0] += 1
  }

  /// Removes one that was added.
  mutating func remove(_ interval: UInt32) {
    count -= 1
    if interval > 0, let same = spaced[interval] {
      spacedCount -= 1
      spaced[interval] = same > 1 ? same - 1 : nil
    }
    // Nothing changes unless it was the only one with the shortest interval.
    if interval != least || spacedCount < count || spaced[interval] != nil { return }
    least = spaced.keys.min() ?? 0
  }
}
