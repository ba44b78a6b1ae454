// What `watch --since` prints before it continues live: the changes that the hub has kept, up to where the watch began.

internal import HubCore
internal import HubTransport

struct WatchPast {
  let since: RevisionWord
  private var hasTold = false

  init(since: RevisionWord) { self.since = since }

  /// Replaces the initial values, up to the first `synced`, by the kept changes.
  ///
  /// - Parameter start: the revision at which the watch began.
  mutating func tell(
    of patterns: [NamePattern], at place: SocketPath, start: Revision, into events: inout [StoreEvent]
  ) throws(Failure) {
    guard !hasTold else { return }
    guard let index = events.firstIndex(where: { $0.kind == .synced && $0.revision >= start }) else {
      // The hub has kept it.
      return events.removeAll()
    }
    hasTold = true
    let synced = events[index]
    events.removeFirst(index)
    var client = try Client(to: place, for: .watch, until: nil)
    var past: [StoreEvent] = []
    var seen: Set<LoggedChange> = []
    for pattern in patterns {
      var history = try KeptHistory(of: pattern, since: since.revision, &client)
      try history.check(since: since, client)
      while let part = try history.next(&client) {
        for change in part.changes where change.revision <= synced.revision && seen.insert(change).inserted {
          past.append(
            StoreEvent(
              change.kind == .removed ? .removed : .changed, name: change.name, value: change.value,
              revision: change.revision, epoch: synced.epoch, version: change.version, skipped: 0,
              time: change.time))
        }
      }
      // Changes dropped while reading leave no gap.
      try history.check(since: since, client)
    }
    // Several patterns: as it happened. The sort keeps the order of a transaction.
    if patterns.count > 1 { past.sort { $0.revision < $1.revision } }
    events.insert(contentsOf: past, at: 0)
  }
}
