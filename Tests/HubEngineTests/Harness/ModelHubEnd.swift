// What the end of a hub means to the model: the table of lifetimes and durabilities in docs/durability.md.

import HubCore
import HubEngine

extension ModelHub {
  /// Removes volatile stores. With a clean end that is a change: the last one of the stopping hub, if it can remember so
  /// many.
  mutating func stop(removals: Int) {
    let volatile = stores.filter { $0.value.schema?.durability == .volatile }.count
    if volatile <= removals, forgetVolatile() {
      beginGroup()
      _ = nextRevision()
      endGroup()
    }
    remember()
  }

  /// Stores are unchanged, except for the volatile ones. The next hub ends the values that would have ended meanwhile, and
  /// those of connections: none of them survives.
  ///
  /// - Parameters:
  ///   - revision: where the next hub continues counting.
  ///   - boot: the next hub's clock.
  ///   - deadline: maps a deadline to that clock.
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
