// The state as the journal's snapshots hold it, one part at a time so that no turn becomes long. It does not write.

package import HubCore

/// The progress of a snapshot.
package struct SnapshotCursor: Sendable {
  fileprivate var slot = -1
  /// Stores that it holds.
  package fileprivate(set) var stores: UInt64 = 0

  package init() {}

  /// Nothing was appended yet.
  package var isAtStart: Bool { slot < 0 }
}

extension HubEngine {
  /// Appends frames until there are about this many bytes of them, or the snapshot is complete; fewer where many stores are not
  /// kept. The engine may change
  /// between two calls: the journal, from before the first call, has those changes.
  ///
  /// - Returns: whether only `complete` is missing.
  package func appendSnapshot(
    _ cursor: inout SnapshotCursor, bytes: Int, now: Instant, into out: inout OutputBuffer
  ) -> Bool {
    let limit = out.count + bytes
    if cursor.slot < 0 {
      history.appendSnapshotHead(serial: stores.lastSerial, openFrom: stores.permissions.openFrom, to: &out)
      for claim in claims.all {
        if let owner = claim.owner { JournalFrame.claim(claim.offer, owner: owner).encode(into: &out) }
      }
      cursor.slot = 0
    }
    return stores.append(&cursor, upTo: limit, now: now, to: &out)
  }
}

extension History {
  fileprivate func appendSnapshotHead(serial: UInt64, openFrom: Revision, to out: inout OutputBuffer) {
    JournalFrame.snapshot(epoch: epoch, revision: revision, serial: serial, floor: removals.floorRevision)
      .encode(into: &out)
    if openFrom != 0 { JournalFrame.access(openFrom: openFrom).encode(into: &out) }
    removals.forEach {
      HubEvent.removed(name: $0.name.text, $0.removal, grouped: false, more: false).encode(into: &out)
    }
  }
}

extension Stores {
  /// As many slots a part of a snapshot passes: 0.1 ms, at what `Cost.passed` estimates, if no store in them is kept.
  private static let mostPassed = 1 << 14

  /// Appends stores until the buffer is so long, or enough slots were passed.
  ///
  /// - Returns: whether none is left.
  fileprivate func append(
    _ cursor: inout SnapshotCursor, upTo limit: Int, now: Instant, to out: inout OutputBuffer
  ) -> Bool {
    guard cursor.slot < used else { return true }
    var count: UInt64 = 0
    let end = min(used, cursor.slot + Stores.mostPassed)
    cursor.slot = appendPacked(from: cursor.slot, before: end, upTo: limit, now: now, to: &out) { slot in
      guard self[slot].isStored else { return false }
      count += 1
      return true
    }
    cursor.stores += count
    return cursor.slot == used
  }

  /// Appends a frame of stores from a slot on, until the buffer is so long or the last slot is reached.
  ///
  /// - Returns: the slot to continue with.
  func appendPacked(
    from start: Int, before end: Int, upTo limit: Int, now: Instant, to out: inout OutputBuffer,
    _ isIncluded: (_ slot: Int) -> Bool
  ) -> Int {
    var slot = start
    var packed = PackedStoresWriter(into: &out)
    while slot < end, out.count < limit {
      if self[slot].id.raw != 0, isIncluded(slot) { append(slot, to: &packed, now: now, &out) }
      slot += 1
    }
    packed.end(in: &out)
    return slot
  }

  private func append(
    _ slot: Int, to packed: inout PackedStoresWriter, now: Instant, _ out: inout OutputBuffer
  ) {
    let record = self[slot]
    packed.append(
      PackedStores.Facts(
        id: record.id, revision: record.revision, version: record.version, time: record.time, uid: record.uid,
        creator: record.creator),
      name: name(of: slot), schema: record.schema < 0 ? nil : schema(of: slot),
      value: value(of: slot), lifetime: record.ends ? record.keptLifetime(now: now) : nil, to: &out)
  }
}
