// What became of names while they bore no store that was shown: how many changes their next store's first event skips.

/// A store may come and go while a connection is slow or lost. The hub then tells its removal alone, whose version says
/// how many changes it had seen. Kept up to the next `synced`, which shows the program that there is no such store.
struct Absences {
  private var skipped: [String: UInt64] = [:]
  /// Removals that the hub may tell once more after a lost connection: those behind the view's bookmark.
  private var recent: [StoreID: Revision] = [:]

  /// A store that was shown has gone.
  ///
  /// - Parameter isIntroducing: a snapshot is being received: the name's next store is none of its parts.
  mutating func noteRemoval(of id: StoreID, _ name: String, _ revision: Revision, isIntroducing: Bool) {
    recent[id] = revision
    if isIntroducing { skipped[name] = 0 }
  }

  /// A store has gone that was never shown.
  mutating func noteUnseen(_ id: StoreID, _ name: String, version: UInt64, _ revision: Revision) {
    if recent.updateValue(revision, forKey: id) == nil { skipped[name, default: 0] &+= version }
  }

  /// Whether that store is known to have gone.
  func hasGone(_ id: StoreID) -> Bool { recent[id] != nil }

  /// How many changes the stores of that name have seen unseen. Nil: there was none.
  mutating func end(_ name: String) -> UInt64? { skipped.isEmpty ? nil : skipped.removeValue(forKey: name) }

  /// The hub will continue behind `bookmark` after a lost connection.
  mutating func advance(to bookmark: Revision) {
    if !recent.isEmpty { recent = recent.filter { $0.value > bookmark } }
  }

  /// The program knows which stores there are.
  mutating func sync(at revision: Revision) {
    advance(to: revision)
    if !skipped.isEmpty { skipped.removeAll() }
  }
}
