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
    guard cursor.slot < stores.used else { return true }
    var packed = PackedStoresWriter(into: &out)
    while cursor.slot < stores.used, out.count < limit {
      let slot = cursor.slot
      cursor.slot += 1
      guard stores[slot].id.raw != 0, stores[slot].stored != .no else { continue }
      cursor.count()
      append(slot, to: &packed, now: now, &out)
    }
    packed.end(in: &out)
    return cursor.slot == stores.used
  }

  private func append(
    _ slot: Int, to packed: inout PackedStoresWriter, now: Instant, _ out: inout OutputBuffer
  ) {
    let record = stores[slot]
    packed.append(
      PackedStores.Facts(
        id: record.id, revision: record.revision, version: record.version, time: record.time, uid: record.uid,
        creator: record.creator),
      name: stores.name(of: slot), schema: record.schema < 0 ? nil : stores.schema(of: slot),
      value: stores.value(of: slot), lifetime: record.ends ? record.keptLifetime(now: now) : nil, to: &out)
  }
}
