// Owns the history: revisions, the change log with the frame of every change, the removals, and this turn's part of it.

import HubCore

/// The hub's history, in the order of its changes. The only writer of change frames.
///
/// Invariants: positions and revisions ascend together; `turn.start <= log.head`, and they are equal between turns.
struct History: ~Copyable {
  let epoch: Epoch
  var revision: Revision = 0
  var log: ChangeLog
  var removals: Removals
  /// The content of `log`.
  var chronicle: Chronicle
  var turn: TurnSpan
  /// A turn that has written more than this to the log is full: a quarter of it, and at most `mostOfTurn`.
  private var fullTurn: UInt64
  private static let mostOfTurn = 2 << 20
  /// Where the end of a creation's frame is assembled.
  private var scratch = OutputBuffer(capacity: 64)

  init(options: HubEngine.Options, epoch: Epoch) {
    self.epoch = epoch
    log = ChangeLog(capacity: options.changeLogBytes)
    removals = Removals(limit: options.rememberedRemovals)
    chronicle = Chronicle(capacity: options.historyBytes)
    turn = TurnSpan(start: log.head)
    fullTurn = History.fullTurn(of: options.changeLogBytes)
  }

  private static func fullTurn(of capacity: Int) -> UInt64 { UInt64(min(capacity / 4, mostOfTurn)) }

  /// Gives the logs other sizes, between two turns: one that changes begins empty.
  mutating func resize(changeLogBytes: Int, historyBytes: Int) {
    if chronicle.capacity != historyBytes { chronicle = Chronicle(capacity: historyBytes) }
    if log.capacity == changeLogBytes { return }
    log.resize(to: changeLogBytes, revision: revision)
    fullTurn = History.fullTurn(of: changeLogBytes)
  }

  // MARK: Changes

  /// Gives a store its next version, with the newest revision.
  @inline(__always)
  mutating func stamp(_ slot: Int, in stores: inout Stores, by uid: UInt32, now: Instant) {
    stores[slot].revision = revision
    stores[slot].version += 1
    stores[slot].time = now.wall
    stores.setSetter(uid, of: slot)
  }

  /// Writes a store's new value.
  ///
  /// - Parameter flags: of the frame.
  /// - Returns: the frame's length.
  @inline(__always)
  mutating func appendChange(of slot: Int, in stores: inout Stores, flags: UInt8) -> Int {
    let value = stores.value(of: slot)
    let length = EventLayout.body + value.encodedLength
    if let frame = log.append(length, revision: revision) {
      stores[slot].writePrefix(to: frame, EventKind.change.rawValue, flags: flags, request: 0, length: length)
      value.write(to: frame + EventLayout.body)
    }
    stores[slot].position = log.head
    return length
  }

  /// Writes that a store was created, with its value; or that it has another schema.
  mutating func appendCreation(of slot: Int, in stores: inout Stores, flags: UInt8) -> Int {
    scratch.clear()
    scratch.append(UInt8(stores.name(of: slot).count))
    scratch.append(stores.name(of: slot))
    scratch.append(stores.schema(of: slot))
    let value = stores.value(of: slot)
    let creator = stores[slot].creator
    let length =
      EventLayout.body + scratch.count + value.encodedLength
      + (creator == StoreRecord.byHub ? 0 : MemoryLayout<UInt32>.size)
    if let frame = log.append(length, revision: revision) {
      stores[slot].writePrefix(
        to: frame, EventKind.created.rawValue, flags: flags, request: 0, length: length)
      (frame + EventLayout.body).copyMemory(from: scratch.base, byteCount: scratch.count)
      value.write(to: frame + EventLayout.body + scratch.count)
      if creator != StoreRecord.byHub {
        (frame + length - MemoryLayout<UInt32>.size).storeBytes(of: creator.littleEndian, as: UInt32.self)
      }
    }
    stores[slot].position = log.head
    return length
  }

  /// Writes a store's removal, and remembers it.
  mutating func appendRemoval(of slot: Int, in stores: inout Stores, flags: UInt8) -> Int {
    let (record, name) = (stores[slot], stores.name(of: slot))
    let length = EventLayout.body + 1 + name.count
    if let frame = log.append(length, revision: revision) {
      record.writePrefix(to: frame, EventKind.removed.rawValue, flags: flags, request: 0, length: length)
      frame.storeBytes(of: UInt8(name.count), toByteOffset: EventLayout.body, as: UInt8.self)
      (frame + EventLayout.body + 1).copyMemory(from: name.base, byteCount: name.count)
    }
    stores[slot].position = log.head
    let removal = HubEvent.Removal(
      id: record.id, revision: record.revision, version: record.version, time: record.time, uid: record.uid)
    removals.append(
      Removals.Entry(
        position: log.head, removal: removal, name: StoreName(checked: name), creator: record.creator,
        rule: record.rule))
    return length
  }

  /// The newest frame, of this length; nil if it was too long for the log.
  func newest(_ length: Int) -> ByteView? { log.frame(endingAt: log.head, length: length) }

  /// Drops everything after a point, but not the revisions that were used.
  mutating func rewind(to savepoint: UndoLog.Savepoint) {
    removals.rewind(to: savepoint.head)
    log.rewind(to: savepoint.head, revision: savepoint.revision)
    chronicle.rewind(to: savepoint.head, revision: savepoint.revision)
    turn.slot = savepoint.turnSlot
    turn.hasGroup = savepoint.turnHasGroup
  }

  // MARK: Turns

  /// A change of the turn was written.
  @inline(__always)
  mutating func noteTurn(_ slot: Int, grouped: Bool) {
    if turn.slot == TurnSpan.nothing {
      turn.slot = Int32(slot)
    } else if turn.slot != Int32(slot) {
      turn.slot = TurnSpan.several
    }
    if grouped { turn.hasGroup = true }
    if log.head &- turn.start > fullTurn { turn.isFull = true }
  }

  /// The turn's changes are complete. If a watcher may need to know where they end, a `synced` follows them.
  @inline(__always)
  mutating func closeTurn(isWatched: Bool) {
    turn.changesEnd = log.head
    if turn.start == log.head { return }
    if turn.slot == TurnSpan.several || turn.hasGroup, isWatched {
      scratch.clear()
      HubEvent.synced(revision: revision).encode(into: &scratch)
      log.append(scratch.count, revision: revision)?.copyMemory(from: scratch.base, byteCount: scratch.count)
    }
  }

  /// The turn has written nothing, or all of it was undone.
  @inline(__always)
  var isQuiet: Bool { turn.start == log.head && !turn.isFull }

  /// Everything was offered to live sessions.
  mutating func endTurn() {
    if isQuiet { return }
    chronicle.endTurn()
    log.noteBorder(revision)
    turn = TurnSpan(start: log.head)
  }
}

/// A turn's part of the history.
struct TurnSpan {
  /// Everything up to here was offered to live sessions.
  var start: UInt64
  /// Where the turn's changes end; the `synced` that closes the turn comes after it.
  var changesEnd: UInt64 = 0
  /// The only store that the turn changed, or one of the two constants below.
  var slot: Int32 = TurnSpan.nothing
  /// It has changes made by transactions.
  var hasGroup = false
  /// Its changes fill much of the log: it ends before it overruns the readers of every change.
  var isFull = false

  static let nothing: Int32 = -1
  static let several: Int32 = -2
}
