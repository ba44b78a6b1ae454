// The state as the journal's snapshots hold it, one part at a time so that no turn becomes long. It writes nothing.

/// How far a snapshot has come.
package struct SnapshotCursor: Sendable {
  fileprivate var slot = -1
  /// Stores that it holds.
  package private(set) var stores: UInt64 = 0

  package init() {}

  /// Nothing was appended yet.
  package var isAtStart: Bool { slot < 0 }

  fileprivate mutating func count() { stores += 1 }
}

extension HubEngine {
  /// Appends frames until there are about this many bytes of them, or the snapshot is complete. The engine may change
  /// between two calls: the journal, from before the first call, has those changes.
  ///
  /// - Returns: whether only `complete` is missing.
  package func appendSnapshot(
    _ cursor: inout SnapshotCursor, bytes: Int, now: Instant, into out: inout OutputBuffer
  ) -> Bool {
    let limit = out.count + bytes
    if cursor.slot < 0 {
      JournalFrame.snapshot(
        epoch: epoch, revision: revision, serial: stores.lastSerial, floor: history.removals.floorRevision
      )
      .encode(into: &out)
      if stores.permissions.openFrom != 0 {
        JournalFrame.access(openFrom: stores.permissions.openFrom).encode(into: &out)
      }
      history.removals.forEach {
        HubEvent.removed(name: $0.name.text, $0.removal, grouped: false, more: false).encode(into: &out)
      }
      cursor.slot = 0
    }
    while cursor.slot < stores.used {
      if out.count >= limit { return false }
      let slot = cursor.slot
      cursor.slot += 1
      let record = stores[slot]
      guard record.id.raw != 0, record.stored != .no else { continue }
      cursor.count()
      stores.appendCreation(of: slot, to: &out)
      if record.ends {
        JournalFrame.lifetime(record.id, revision: record.revision, record.keptLifetime(now: now))
          .encode(into: &out)
      }
    }
    return true
  }
}
