// What the journal has to know: which changes, in which frames, and what becomes of a turn when they were written, or not.
//
// With a journal, the turn's first write to a persistent store begins a scope. Its owner writes the outbox before anybody sees
// a reply or an event, then calls `journalWritten`; if that fails `journalFailed` takes back everything since the scope began.

extension HubEngine {
  /// What the journal's next record has to hold; may be empty.
  public var outboxBytes: ByteView { outbox.bytes.view }

  /// Whether a request has to wait for the turn's write, because what it does could not be taken back.
  @inline(__always)
  public static func mustWait(_ frame: FrameView) -> Bool {
    switch frame.kind {
    case .watch, .unwatch, .hello, .list: true
    default: false
    }
  }

  /// Changes stand that the journal was not told, because it failed. It needs a complete snapshot.
  public var owesSnapshot: Bool { outbox.owesSnapshot }

  /// The reply of the last request may be sent only when everything that was written so far is on the disk.
  @inline(__always)
  public mutating func takeSyncDemand() -> Bool {
    if !wantsSync { return false }
    wantsSync = false
    return true
  }

  /// The outbox was written: what it holds stands.
  public mutating func journalWritten() {
    outbox.clear()
    guard undo.turn != nil else { return }
    finishRemovals()
    endScope()
  }

  /// The outbox could not be written: what the turn did since its first write to a persistent store is taken back, volatile
  /// stores included, and the requests have to be carried out again. Revisions that it took are not used again.
  ///
  /// - Parameter problem: why, for whoever wants to write; nil: writing works again.
  public mutating func journalFailed(_ problem: String) {
    outbox.close(problem)
    if let mark = undo.turn {
      rollBack(to: mark)
      endScope()
    }
    // What is left nobody takes back.
    if !outbox.bytes.isEmpty { outbox.owesSnapshot = true }
    outbox.clear()
  }

  /// Writes to persistent stores are refused, for this reason, until `openJournal`.
  ///
  /// - Parameter needsSnapshot: what was written before cannot be counted on.
  public mutating func closeJournal(_ problem: String, needsSnapshot: Bool) {
    precondition(undo.turn == nil)
    outbox.close(problem)
    if needsSnapshot { outbox.owesSnapshot = true }
  }

  /// Persistent stores can be written to (again).
  public mutating func openJournal() { outbox.open() }

  /// Persistent stores can be written to.
  public var isJournalOpen: Bool { outbox.phase == .open }
  /// The outbox has to be written.
  @inline(__always)
  public var hasOutbox: Bool { mutating get { !outbox.bytes.isEmpty } }

  /// The journal goes on in a new file, with a complete snapshot. Writes are refused until `openJournal`.
  public mutating func renewJournal() {
    precondition(undo.turn == nil)
    outbox.renew()
    for slot in 0..<stores.used where stores[slot].id.raw != 0 {
      let isDurable = stores[slot].durability != .volatile
      stores[slot].stored = isDurable ? .value : .no
    }
  }

  // MARK: Reservations

  /// Numbers that are reserved at once. After an unclean end as many are passed over at most. There are 2^40 serial numbers.
  private static let revisionsAhead: UInt64 = 1 << 24
  private static let serialsAhead: UInt64 = 1 << 20
  /// While the journal takes nothing, the last of them are left to what happens by itself.
  private static let keptRevisions: UInt64 = 1 << 20
  private static let keptSerials: UInt64 = 1 << 10

  /// What the journal's next segment has to name as used.
  public var reserved: (revision: Revision, serial: UInt64) { outbox.reserved }

  public var lastSerial: UInt64 { stores.lastSerial }

  /// The journal knows that not all values are in it.
  public var hasToldUnwritten: Bool { outbox.hasToldUnwritten }

  /// Bookmarks below this cannot be resumed.
  public var bookmarkFloor: Revision { removals.floorRevision }

  /// Sees to it that there are always numbers left that the journal knows to be used.
  @inline(__always)
  public mutating func reserveAhead() {
    if options.journals, outbox.phase == .open,
      outbox.reserved.revision < revision + HubEngine.revisionsAhead / 2
        || outbox.reserved.serial < stores.lastSerial + HubEngine.serialsAhead / 2
    {
      extendReservation()
    }
  }

  /// Reserves anew without telling: the next segment's head does.
  public mutating func renewReservation() {
    outbox.reserved = (
      revision + HubEngine.revisionsAhead, stores.lastSerial + HubEngine.serialsAhead
    )
  }

  /// No number has to be reserved: this life has an epoch of its own, of which nothing is written yet.
  public mutating func reserveFreely() { outbox.reserved = (.max, .max) }

  private mutating func extendReservation() {
    renewReservation()
    outbox.append(.reserved(revision: outbox.reserved.revision, serial: outbox.reserved.serial))
  }

  // MARK: The turn's scope

  /// From here on the turn can be taken back, until `endScope`.
  mutating func beginScope() {
    undo.beginTurn(mark)
    awaitsJournal = true
  }

  mutating func endScope() {
    undo.endTurn()
    awaitsJournal = false
  }

  // MARK: Before a change

  /// A session is about to change a store. If that has to be kept, the turn's scope begins.
  @inline(__always)
  mutating func willWrite(_ slot: Int, isKept: Bool) throws(HubError) {
    if isKept {
      if outbox.problem != nil { throw storageFailed(stores.name(of: slot)) }
      if undo.turn == nil { beginScope() }
    } else if outbox.problem != nil {
      try checkNumbers(stores.name(of: slot))
    }
  }

  /// A session is about to create a store with this schema.
  mutating func willCreate(_ name: ByteView, _ schema: Schema) throws(HubError) {
    if stores.durability(with: schema) != .volatile {
      if outbox.problem != nil { throw storageFailed(name) }
      if undo.turn == nil { beginScope() }
    } else if outbox.problem != nil {
      try checkNumbers(name)
    }
  }

  private func storageFailed(_ name: ByteView) -> HubError {
    HubError(.storageFailed, store: name.text, outbox.problem ?? "")
  }

  /// What the journal was not told to be used must not be given out: a hub that starts from it would give it out again.
  private func checkNumbers(_ name: ByteView) throws(HubError) {
    guard options.journals else { return }
    if revision + HubEngine.keptRevisions >= outbox.reserved.revision
      || stores.lastSerial + HubEngine.keptSerials >= outbox.reserved.serial
    {
      throw storageFailed(name)
    }
  }

  /// A session is about to change a store's value or lifetime.
  @inline(__always)
  mutating func willChange(_ slot: Int, schema: Bool = false) throws(HubError) {
    try willWrite(slot, isKept: stores[slot].durability != .volatile)
    undo.willChange(slot, in: stores, schema: schema)
  }

  var mark: UndoLog.Mark {
    UndoLog.Mark(
      head: log.head, revision: revision, turnSlot: turnSlot, turnHasGroup: turnHasGroup, outbox: outbox.mark)
  }

  // MARK: After a change

  /// The store's value has changed, and the change log's newest frame, of `length` bytes, says so.
  @inline(__always)
  mutating func journalChange(of slot: Int, length: Int, now: Instant) {
    if options.journals { tellChange(of: slot, length: length, now: now) }
  }

  private mutating func tellChange(of slot: Int, length: Int, now: Instant) {
    if stores[slot].durability == .volatile { return tellUnwritten(slot) }
    if isSilent { return }
    if stores[slot].stored != .no, outbox.phase == .open,
      let frame = log.frame(endingAt: log.head, length: length)
    {
      outbox.append(frame, endingAt: log.head)
    } else {
      outbox.write { stores.appendCreation(of: slot, to: &$0) }
    }
    stores[slot].stored = .value
    if stores[slot].ends { tellLifetime(of: slot, now: now) }
  }

  private mutating func tellLifetime(of slot: Int, now: Instant) {
    let record = stores[slot]
    outbox.append(.lifetime(record.id, revision: record.revision, record.keptLifetime(now: now)))
  }

  /// The journal failed: what happens by itself meanwhile it is told with a snapshot.
  private var isSilent: Bool {
    mutating get {
      if outbox.phase != .closed { return false }
      outbox.owesSnapshot = true
      return true
    }
  }

  /// The store is volatile: the journal does not get its value.
  mutating func tellUnwritten(_ slot: Int) {
    if !outbox.hasToldUnwritten {
      outbox.hasToldUnwritten = true
      // The next segment's head says so, if there is to be one.
      if outbox.phase != .closed { outbox.append(.unwritten) }
    }
    let record = stores[slot]
    guard record.stored != .no, !isSilent else { return }
    outbox.append(.unstored(record.id, revision: record.revision, version: record.version, whole: true))
    stores[slot].stored = .no
  }

  /// The store's lifetime may have changed, and its value has not.
  mutating func journalLifetime(of slot: Int, now: Instant) {
    guard options.journals, stores[slot].durability != .volatile, !isSilent else { return }
    if stores[slot].stored != .value {
      outbox.write { stores.appendCreation(of: slot, to: &$0) }
      stores[slot].stored = .value
      if !stores[slot].ends { return }
    }
    tellLifetime(of: slot, now: now)
  }

  /// The store goes, and the change log's newest frame, of `length` bytes, says so.
  mutating func journalRemoval(of slot: Int, length: Int) {
    guard options.journals else { return }
    if stores[slot].stored == .no {
      if !outbox.hasToldUnwritten { tellUnwritten(slot) }
    } else if !isSilent, let frame = log.frame(endingAt: log.head, length: length) {
      outbox.append(frame, endingAt: log.head)
    }
  }
}

extension StoreRecord {
  /// Its value ends by itself.
  @inline(__always) var ends: Bool { deadline != 0 || owner >= 0 }

  func keptLifetime(now: Instant) -> KeptLifetime {
    KeptLifetime(deadline: deadline, isEphemeral: owner >= 0, now: now)
  }
}

extension StoreTable {
  /// The store as a `created` frame of its state of now.
  func appendCreation(of slot: Int, to out: inout OutputBuffer, flags: UInt8 = 0, value: Value? = nil) {
    let record = self[slot]
    let start = out.beginFrame(.created, flags: flags)
    out.append(record.uid)
    out.append(record.id.raw)
    out.append(record.revision)
    out.append(record.version)
    out.append(record.time)
    let name = name(of: slot)
    out.append(UInt8(name.count))
    out.append(name)
    out.append(schema(of: slot))
    if let value { out.append(value) } else { out.append(self.value(of: slot)) }
    out.endFrame(start)
  }
}
