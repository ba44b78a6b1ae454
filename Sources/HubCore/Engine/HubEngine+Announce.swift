// Turning a change into its one frame: revision, version, change log, and the patterns that have to know of it.

extension HubEngine {
  /// The revision of the change that is being made: one per transaction.
  private mutating func nextRevision() -> Revision {
    if undo.isTransaction {
      if undo.hasRevision { return revision }
      undo.hasRevision = true
    }
    revision += 1
    return revision
  }

  private func uid(of session: SessionID?) -> UInt32 {
    session.map { sessions.peer(of: $0).uid } ?? options.uid
  }

  /// A store's value has been replaced.
  @inline(__always)
  mutating func announceChange(of slot: Int, by session: SessionID?, now: Instant) {
    stamp(slot, by: session, now: now)
    let value = stores.value(of: slot)
    let length = EventLayout.body + value.encodedLength
    if let frame = log.append(length, revision: revision) {
      writePrefix(of: slot, .change, length, to: frame)
      value.write(to: frame + EventLayout.body)
    }
    note(slot, length, created: false, now: now)
  }

  /// A store has come into being, with its value.
  mutating func announceCreation(of slot: Int, by session: SessionID?, now: Instant) {
    stamp(slot, by: session, now: now)
    widened.clear()
    widened.append(UInt8(stores.name(of: slot).count))
    widened.append(stores.name(of: slot))
    widened.append(stores.schema(of: slot))
    let value = stores.value(of: slot)
    let length = EventLayout.body + widened.count + value.encodedLength
    if let frame = log.append(length, revision: revision) {
      writePrefix(of: slot, .created, length, to: frame)
      (frame + EventLayout.body).copyMemory(from: widened.base, byteCount: widened.count)
      value.write(to: frame + EventLayout.body + widened.count)
    }
    note(slot, length, created: true, now: now)
  }

  /// Announces that a store goes, and takes it out of every table. Its slot is free afterwards, or when the
  /// transaction that it is part of has succeeded.
  ///
  /// - Returns: the removal's revision.
  mutating func removeStore(_ slot: Int, by session: SessionID?, now: Instant) -> Revision {
    undo.willRemove(slot, in: stores)
    clearLifetime(of: slot)
    stamp(slot, by: session, now: now)
    let record = stores[slot]
    let name = stores.name(of: slot)
    let length = EventLayout.body + 1 + name.count
    if let frame = log.append(length, revision: revision) {
      writePrefix(of: slot, .removed, length, to: frame)
      frame.storeBytes(of: UInt8(name.count), toByteOffset: EventLayout.body, as: UInt8.self)
      (frame + EventLayout.body + 1).copyMemory(from: name.base, byteCount: name.count)
    }
    patterns.noteRemoval(record, slot: slot, end: log.head, length: length, grouped: undo.isTransaction)
    noteTurn(slot, length)
    journalRemoval(of: slot, length: length)
    stores[slot].position = log.head
    removals.append(
      Removals.Entry(
        position: log.head,
        removal: HubEvent.Removal(
          id: record.id, revision: record.revision, version: record.version, time: record.time,
          uid: record.uid),
        name: StoreName(checked: name)))
    patterns.dismiss(slot, stores: &stores)
    stores.unlink(slot)
    if !undo.isRecording { finishRemoval(slot) }
    return record.revision
  }

  /// Gives back the slot of a store that has gone for good.
  mutating func finishRemoval(_ slot: Int) {
    stores.free(slot)
    names.remove()
    if names.wantsSettling { names.settle(with: stores) }
  }

  @inline(__always)
  private mutating func stamp(_ slot: Int, by session: SessionID?, now: Instant) {
    let revision = nextRevision()
    let uid = uid(of: session)
    stores[slot].revision = revision
    stores[slot].version += 1
    stores[slot].time = now.wall
    stores[slot].uid = uid
    tally.changes &+= 1
  }

  @inline(__always)
  private mutating func note(_ slot: Int, _ length: Int, created: Bool, now: Instant) {
    let end = log.head
    stores[slot].position = end
    patterns.note(
      stores[slot], slot: slot, end: end, length: length, created: created, grouped: undo.isTransaction)
    noteTurn(slot, length)
    journalChange(of: slot, length: length, now: now)
  }

  @inline(__always)
  private mutating func noteTurn(_ slot: Int, _ length: Int) {
    if turnSlot == -1 {
      turnSlot = Int32(slot)
    } else if turnSlot != Int32(slot) {
      turnSlot = -2
    }
    if log.head - turnStart > UInt64(log.capacity / 4) { wantsTurnEnd = true }
    if undo.isTransaction {
      turnHasGroup = true
      undo.didAnnounce(end: log.head, length: length)
    }
  }

  // MARK: Bytes

  @inline(__always)
  private func writePrefix(
    of slot: Int, _ kind: Frame.Kind, _ length: Int, to frame: UnsafeMutableRawPointer
  ) {
    // Part of a transaction until it is known to be the last, or the only one.
    let flags = undo.isTransaction ? EventLayout.grouped | EventLayout.more : 0
    stores[slot].writePrefix(to: frame, kind, flags: flags, request: 0, length: length)
  }
}

extension StoreRecord {
  /// Writes what all frames about a store begin with: events, and the answer to a `get`.
  @inline(__always)
  func writePrefix(
    to frame: UnsafeMutableRawPointer, _ kind: Frame.Kind, flags: UInt8, request: UInt32, length: Int
  ) {
    Frame.writeHeader(to: frame, kind, flags: flags, request: request, length: length)
    frame.storeBytes(of: uid.littleEndian, toByteOffset: EventLayout.uid, as: UInt32.self)
    frame.storeBytes(of: id.raw.littleEndian, toByteOffset: EventLayout.store, as: UInt64.self)
    frame.storeBytes(of: revision.littleEndian, toByteOffset: EventLayout.revision, as: UInt64.self)
    frame.storeBytes(of: version.littleEndian, toByteOffset: EventLayout.version, as: UInt64.self)
    frame.storeBytes(of: time.littleEndian, toByteOffset: EventLayout.time, as: Int64.self)
  }
}
