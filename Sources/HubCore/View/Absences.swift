// The stores that a view has seen removed, so that it neither shows them again nor mistakes their successors for old
// ones.

/// Bounded by the removals of a snapshot, and of the span between a view's bookmark and what it has seen.
struct Absences {
  /// Removals that the hub may send again after a lost connection: those after the view's bookmark.
  private var recent: [StoreID: Revision] = [:]
  /// Names whose shown store was removed within a snapshot: their next store is not part of it.
  private var ended: Set<String> = []

  /// A store was removed.
  ///
  /// - Parameter isIntroducing: a snapshot is being received.
  mutating func noteRemoval(of id: StoreID, _ name: String, _ revision: Revision, isIntroducing: Bool) {
    recent[id] = revision
    if isIntroducing { ended.insert(name) }
  }

  /// Whether the store is known to have been removed.
  func hasGone(_ id: StoreID) -> Bool { recent[id] != nil }

  /// Whether the next store with that name was created after what a snapshot showed.
  func isNews(_ name: String) -> Bool { ended.contains(name) }

  /// After a lost connection, the hub will continue after `bookmark`.
  mutating func advance(to bookmark: Revision) {
    if !recent.isEmpty { recent = recent.filter { $0.value > bookmark } }
  }

  /// Records that the program has the list of existing stores.
  mutating func sync(at revision: Revision) {
    advance(to: revision)
    if !ended.isEmpty { ended.removeAll() }
  }
}
