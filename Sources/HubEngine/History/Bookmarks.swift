// Owns the mapping from bookmarks to positions in the history, and which bookmarks are too old.

import HubCore

extension History {
  /// A bookmark's position in the order of changes; nil if the hub no longer remembers every removal since.
  ///
  /// - Parameter order: every store, by its last change.
  func position(
    of bookmark: Bookmark, in order: borrowing ChangeOrder, _ effort: inout Effort
  ) -> UInt64? {
    guard bookmark.epoch == epoch, bookmark.revision <= revision else { return nil }
    guard bookmark.revision >= removals.floorRevision else { return nil }
    if bookmark.revision == revision { return log.head }
    // The log is exact as far as it reaches; the order holds only each store's newest change.
    var position = log.border(before: bookmark.revision)
    if bookmark.revision < log.tailRevision {
      position = max(order.position(of: bookmark.revision), removals.position(of: bookmark.revision))
      if position < log.tail { return position }
    }
    while let next = log.next(after: position),
      EventLayout.revision(of: next.frame) <= bookmark.revision
    {
      effort.spend(Cost.passed)
      position = next.end
    }
    return position
  }
}
