// How stale entries are removed from all orders when memory is returned: those of a burst would stay, because nothing changes after it.

import HubCore

/// How far stale entries were dropped in all orders.
struct StaleCursor {
  var pattern = 0
  /// Of this pattern's order.
  var passes = 0

  /// The entries examined in one step: about half a millisecond.
  static let looks = 1 << 15
}

extension PatternTable {
  /// Drops stale entries where they are many, in one step of several.
  ///
  /// - Returns: whether it was the last step.
  mutating func dropStale(_ cursor: inout StaleCursor, _ stores: borrowing Stores) -> Bool {
    var (isSpent, passed) = (false, 0)
    while cursor.pattern < records.count {
      passed += 1
      if passed > StaleCursor.looks { return false }
      // Entries that the first pass has kept may become stale after it; entries that the second pass keeps are new.
      while cursor.passes < 2, records[cursor.pattern].order.hasManyStale {
        if isSpent { return false }
        let isComplete = records[cursor.pattern].order.compact(looks: StaleCursor.looks) {
          $0.isCurrent(in: stores)
        }
        if isComplete { cursor.passes += 1 }
        isSpent = true
      }
      cursor = StaleCursor(pattern: cursor.pattern + 1)
    }
    return true
  }
}
