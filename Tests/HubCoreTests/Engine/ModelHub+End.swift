// What the end of a hub means to the model: the table of lifetimes and durabilities that docs/durability.md prints.

import HubCore

extension ModelHub {
  /// Volatile stores go. With a good end that is a change: the last one of the hub that stops, if it can remember so many.
  mutating func stop(removals: Int) {
    let volatile = stores.filter { $0.value.schema?.durability == .volatile }.count
    if volatile <= removals, forgetVolatile() {
      beginGroup()
      _ = nextRevision()
      endGroup()
    }
    remember()
  }

  /// Stores are as they were, but for the volatile ones. The next hub ends the values that would have ended meanwhile, and
  /// those of connections: none of them lives on.
  ///
  /// - Parameters:
  ///   - revision: where the next hub goes on counting.
  ///   - boot: the next hub's clock.
  ///   - deadline: what a deadline is by that clock.
  mutating func start(at revision: UInt64, boot: UInt64, deadline: (UInt64) -> UInt64) {
    _ = forgetVolatile()
    self.revision = revision
    beginGroup()
    for name in stores.keys.sorted() {
      guard let store = stores[name] else { continue }
      let end = store.deadline.map(deadline)
      if store.owner != nil || end.map({ $0 <= boot }) ?? false {
        self.end(name)
      } else {
        stores[name]!.deadline = end
      }
    }
    endGroup()
    remember()
  }

  private mutating func forgetVolatile() -> Bool {
    let volatile = stores.filter { $0.value.schema?.durability == .volatile }
    for name in volatile.keys { stores[name] = nil }
    return !volatile.isEmpty
  }
}
