// Passes a store's change on to the history's frame, the patterns and the journal.

import HubCore

extension HubEngine {
  /// A store's value has been replaced.
  @inline(__always)
  mutating func announceChange(of slot: Int, by session: SessionID?, now: Instant) {
    stamp(slot, by: session, now: now)
    let length = history.appendChange(of: slot, in: &stores, flags: groupFlags)
    if isObserved { chronicle(slot, .change, by: session) }
    note(slot, length, .changed, now: now)
  }

  /// A store was created, with its value; or it has another schema.
  mutating func announceCreation(of slot: Int, by session: SessionID?, now: Instant) {
    stamp(slot, by: session, now: now)
    let length = history.appendCreation(of: slot, in: &stores, flags: groupFlags)
    if isObserved { chronicle(slot, .created, by: session) }
    note(slot, length, .created, now: now)
  }

  /// Announces that a store is removed, and takes it out of the tables. Its slot becomes free when the turn's changes are
  /// noted.
  ///
  /// - Returns: the removal's revision.
  mutating func removeStore(_ slot: Int, by session: SessionID?, now: Instant) -> Revision {
    ledger.undo.willRemove(slot, in: &stores)
    stores.clearLifetime(of: slot)
    stamp(slot, by: session, now: now)
    let record = stores[slot]
    let length = history.appendRemoval(of: slot, in: &stores, flags: groupFlags)
    if isObserved { chronicle(slot, .removed, by: session) }
    noteTurn(slot, length, .removed)
    if ledger.journals {
      ledger.tellRemoval(of: slot, history.newest(length), endingAt: history.log.head, &stores)
    }
    stores.unlink(slot)
    return record.revision
  }

  @inline(__always)
  private mutating func stamp(_ slot: Int, by session: SessionID?, now: Instant) {
    if ledger.undo.takesRevision() { history.revision += 1 }
    let uid = session.map { feed.sessions.peer(of: $0).uid } ?? options.uid
    history.stamp(slot, in: &stores, by: uid, now: now)
    monitoring.tally.changes &+= 1
  }

  /// Counts as part of a transaction until it is known to be the transaction's last or only change.
  @inline(__always)
  private var groupFlags: UInt8 {
    mutating get { ledger.undo.isTransaction ? EventLayout.grouped | EventLayout.more : 0 }
  }

  @inline(__always)
  private mutating func note(_ slot: Int, _ length: Int, _ kind: PendingChange.Kind, now: Instant) {
    noteTurn(slot, length, kind)
    if ledger.journals { tellJournal(slot, length, now) }
  }

  private mutating func tellJournal(_ slot: Int, _ length: Int, _ now: Instant) {
    ledger.tellChange(of: slot, history.newest(length), endingAt: history.log.head, &stores, now: now)
  }

  @inline(__always)
  private mutating func noteTurn(_ slot: Int, _ length: Int, _ kind: PendingChange.Kind) {
    let isGrouped = ledger.undo.isTransaction
    let cost = Int(stores[slot].patternCount) &* Cost.membership
    work &+= cost
    feed.add(
      PendingChange(
        end: history.log.head, length: UInt32(length), slot: Int32(slot), kind: kind, isGrouped: isGrouped))
    history.noteTurn(slot, grouped: isGrouped)
    if isGrouped { ledger.undo.didAnnounce(end: history.log.head, length: length, cost: cost) }
  }
}

extension StoreRecord {
  /// Writes the beginning of every frame about a store: events, and the answer to a `get`.
  @inline(__always)
  func writePrefix(
    to frame: UnsafeMutableRawPointer, _ kind: UInt8, flags: UInt8, request: UInt32, length: Int
  ) {
    Frame.writeHeader(to: frame, kind, flags: flags, request: request, length: length)
    EventLayout.write(to: frame, uid, id, revision, version, time)
  }

  /// Appends the same after a header that was begun.
  func appendPrefix(to out: inout OutputBuffer) {
    out.appendPrefix(uid, id, revision, version, time)
  }
}
