// What happened to names while no shown store had them: how many changes their next store's first event skips.

/// A store may be created and removed while a connection is slow or lost. The hub then reports only its removal, whose
/// version says how many changes it had seen. Kept up to the next `synced`, which shows the program that there is no such
/// store.
struct Absences {
  private var skipped: [String: UInt64] = [:]
  /// Removals that the hub may send again after a lost connection: those after the view's bookmark.
  private var recent: [StoreID: Revision] = [:]

  /// A store that was shown was removed.
  ///
  /// - Parameter isIntroducing: a snapshot is being received, and the name's next store is not part of it.
  mutating func noteRemoval(of id: StoreID, _ name: String, _ revision: Revision, isIntroducing: Bool) {
    recent[id] = revision
    if isIntroducing { skipped[name] = 0 }
  }

  /// A store was removed that was never shown.
  mutating func noteUnseen(_ id: StoreID, _ name: String, version: UInt64, _ revision: Revision) {
    if recent.updateValue(revision, forKey: id) == nil { skipped[name, default: 0] &+= version }
  }

  /// Whether that store is known to be removed.
  func hasGone(_ id: StoreID) -> Bool { recent[id] != nil }

  /// How many unseen changes the stores of that name had. Nil: there was none.
  mutating func end(_ name: String) -> UInt64? { skipped.isEmpty ? nil : skipped.removeValue(forKey: name) }

  /// After a lost connection, the hub will continue after `bookmark`.
  mutating func advance(to bookmark: Revision) {
    if !recent.isEmpty { recent = recent.filter { $0.value > bookmark } }
  }

  /// The program knows which stores there are.
  mutating func sync(at revision: Revision) {
    advance(to: revision)
    if !skipped.isEmpty { skipped.removeAll() }
  }
}
