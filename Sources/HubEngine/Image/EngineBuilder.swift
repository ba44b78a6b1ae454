// Restores an engine from the frames of an image. Everything that the engine's invariants depend on is checked, so no image can produce a hub that
// fails later.

package import HubCore

package struct EngineBuilder: ~Copyable {
  // Not private: other files restore the claims and the members of patterns.
  var engine: HubEngine
  let renumber: (Int32) -> Int32
  private let groups: (Int32) -> [UInt32]
  private let now: Instant
  private var hub: ImageHub?
  private var freeSlots: [Int32] = []
  /// Stores before this slot were placed.
  private var placed = 0
  /// The stores' positions, in order.
  private var storePositions: [UInt64] = []
  /// Other positions that must be borders of the log's frames, if they lie in it.
  private var positions: [UInt64] = []
  var sessions: [SessionPart] = []
  private var newestRemoval: UInt64 = 0
  private var newestRemovalRevision: Revision = 0
  /// Where the log's frames taken so far end.
  private var borders: [UInt64] = []
  private var keepsLog = false
  /// The pattern of the watch that was taken last; -1: none.
  var newestPattern: Int32 = -1

  struct SessionPart {
    var session: SessionID
    var subscriber: Subscriber
    var delivery: Delivery
    /// In the order of its list.
    var watches: [Int32] = []
    /// Stores whose values end with it.
    var owned: [StoreID] = []
  }

  static let damaged = ImageError("the image is inconsistent")

  /// - Parameters:
  ///   - options: those in effect when the image was written. Others follow with `apply`.
  ///   - renumber: maps a session's number to its new one; called once for each. All results must be different.
  ///   - groups: the supplementary groups of a session's peer, by its new number.
  ///   - now: when counters begin to count.
  package init(
    options: HubEngine.Options, now: Instant = Instant(wall: 0, boot: 0),
    renumber: @escaping (Int32) -> Int32 = { $0 },
    groups: @escaping (Int32) -> [UInt32] = { _ in [] }
  ) {
    engine = HubEngine(options: options)
    self.renumber = renumber
    self.groups = groups
    self.now = now
  }

  /// Reads one frame.
  package mutating func take(_ frame: FrameView) throws(ImageError) {
    var reader = ByteReader(frame.payload)
    let kind = ImageKind(rawValue: frame.rawKind)
    if let kind, kind != .hub, hub == nil { throw EngineBuilder.damaged }
    switch kind {
    case .hub: try takeHub(&reader)
    case .freeSlots: while reader.remaining > 0, !reader.failed { freeSlots.append(reader.integer()) }
    case .stores: try takeStores(frame.payload)
    case .places: try takePlaces(&reader)
    case .removal: try takeRemoval(&reader)
    case .changes: try takeChanges(frame.payload)
    case .session: try takeSession(&reader)
    case .watch: try takeWatch(&reader)
    case .filter: try takeFilter(&reader)
    case .members: try takeMembers(&reader)
    case .owned: try takeOwned(&reader)
    case .claim: try takeClaim(&reader)
    case .ticket: try takeTicket(&reader)
    case .queuedOffer: try takeQueuedOffer(&reader)
    case .journal: try takeJournal(&reader)
    case nil: throw EngineBuilder.damaged
    }
    if reader.failed { throw EngineBuilder.damaged }
  }

  /// The engine that the image describes, as it was between two turns.
  package consuming func finish() throws(ImageError) -> HubEngine {
    try complete()
    return engine
  }

  // MARK: Parts

  private mutating func takeHub(_ reader: inout ByteReader) throws(ImageError) {
    guard hub == nil, let part = ImageHub(&reader) else { throw EngineBuilder.damaged }
    let options = engine.options
    hub = part
    engine = HubEngine(options: options, epoch: part.epoch, now: now)
    engine.history.revision = part.revision
    (engine.stores.permissions.floor, engine.stores.permissions.openFrom) = (part.accessFloor, part.openFrom)
    engine.ledger.outbox.openFrom = part.openFrom
    // No number in an image determines how much memory is allocated. A ring of another size has other borders: the log begins empty,
    // and sessions behind get current values.
    keepsLog = part.capacity == UInt64(options.changeLogBytes)
    engine.history.log = ChangeLog(
      capacity: options.changeLogBytes, head: keepsLog ? part.tail : part.head,
      tailRevision: keepsLog ? part.tailRevision : part.revision)
    engine.history.removals = Removals(
      limit: options.rememberedRemovals, floor: part.floor, floorRevision: part.floorRevision)
    positions.append(part.floor)
  }

  private mutating func takeStores(_ frames: ByteView) throws(ImageError) {
    var reader = ImageReader(frames)
    while let frame = try reader.next() {
      guard frame.rawKind == PackedStores.kind else { throw EngineBuilder.damaged }
      do throws(HubError) { try engine.recoverStores(frame) } catch { throw EngineBuilder.damaged }
    }
  }

  private mutating func takePlaces(_ reader: inout ByteReader) throws(ImageError) {
    while reader.remaining > 0, let hub {
      let place = ImagePlace(word: reader.integer())
      while placed < engine.stores.used, engine.stores[placed].id.raw == 0 { placed += 1 }
      guard !reader.failed, placed < engine.stores.used, place.position <= hub.head,
        engine.stores[placed].revision <= hub.revision, engine.stores[placed].id.serial <= hub.lastSerial
      else { throw EngineBuilder.damaged }
      engine.stores[placed].position = place.position
      engine.stores[placed].isStored = place.isStored
      engine.stores[placed].isDeclared = place.isDeclared
      placed += 1
    }
  }

  private mutating func takeRemoval(_ reader: inout ByteReader) throws(ImageError) {
    let position = reader.integer(UInt64.self)
    let removal = HubEvent.Removal(
      id: StoreID(raw: reader.integer()), revision: reader.integer(), version: reader.integer(),
      time: reader.integer(), uid: reader.integer())
    let name = reader.shortBytes()
    let creator = reader.integer(UInt32.self)
    guard let hub, !reader.failed, StoreName.problem(in: name) == nil,
      position > max(newestRemoval, hub.floor), position <= hub.head,
      removal.revision >= max(newestRemovalRevision, hub.floorRevision), removal.revision <= hub.revision
    else { throw EngineBuilder.damaged }
    (newestRemoval, newestRemovalRevision) = (position, removal.revision)
    engine.history.removals.append(
      Removals.Entry(
        position: position, removal: removal, name: StoreName(checked: name), creator: creator,
        rule: engine.stores.permissions.rule(for: name)))
    positions.append(position)
  }

  private mutating func takeJournal(_ reader: inout ByteReader) throws(ImageError) {
    let reserved = (reader.integer(Revision.self), reader.integer(UInt64.self))
    guard let phase = JournalOutbox.Phase(rawValue: reader.integer()), let hub,
      reserved.0 >= hub.revision || reserved.0 == 0, reserved.1 >= hub.lastSerial || reserved.1 == 0
    else { throw EngineBuilder.damaged }
    let flags = reader.integer(UInt8.self)
    let problem = reader.mediumBytes().text
    engine.ledger.outbox.reserved = reserved
    // A snapshot in progress was lost with the hub that was making it.
    if phase != .open { engine.ledger.outbox.close(problem) }
    engine.ledger.outbox.hasToldUnwritten = flags & ImageFlag.unwritten != 0
    engine.ledger.outbox.owesSnapshot = flags & ImageFlag.owesSnapshot != 0 || phase == .renewing
  }

  private mutating func takeChanges(_ frames: ByteView) throws(ImageError) {
    guard let hub, keepsLog else { return }
    var reader = ImageReader(frames)
    while let frame = try reader.next() {
      guard EngineBuilder.isSound(frame), frame.bytes.count <= engine.history.log.capacity,
        engine.history.log.head < hub.head,
        let room = engine.history.log.append(frame.bytes.count, revision: hub.revision)
      else { throw EngineBuilder.damaged }
      room.copyMemory(from: frame.bytes.base, byteCount: frame.bytes.count)
      borders.append(engine.history.log.head)
      // A `synced` carries the hub's revision, a change its own: neither may decrease.
      engine.history.log.noteBorder(EventLayout.revision(of: frame))
    }
  }

  /// Whether a frame of the log holds what the engine itself reads from it.
  private static func isSound(_ frame: FrameView) -> Bool {
    let count = frame.bytes.count
    switch EventKind(rawValue: frame.rawKind) {
    case .change, .created: return count >= EventLayout.body
    case .removed:
      var reader = ByteReader(frame.bytes.suffix(from: min(count, EventLayout.body)))
      let name = reader.shortBytes()
      return !reader.failed && StoreName.problem(in: name) == nil
    case .synced: return count >= SyncedLayout.end
    case .current, .resumed, .forget, .ended, .forward, .withdraw, .ask, nil: return false
    }
  }

  private mutating func takeSession(_ reader: inout ByteReader) throws(ImageError) {
    let session = SessionID(raw: renumber(reader.integer()))
    var info = SessionInfo(peer: Peer(pid: reader.integer(), uid: reader.integer(), gid: reader.integer()))
    (info.since, info.unsent) = (reader.integer(), reader.integer())
    var subscriber = Subscriber(position: reader.integer())
    guard let delivery = Delivery(rawValue: reader.integer()), delivery != .closed, let hub,
      subscriber.position <= hub.head, session.raw >= 0, session.raw < EngineBuilder.sessionLimit,
      !engine.feed.sessions.isOpen(session)
    else { throw EngineBuilder.damaged }
    let flags = reader.integer(UInt8.self)
    subscriber.owesSync = flags & ImageFlag.owesSync != 0
    subscriber.isIntroducing = flags & ImageFlag.isIntroducing != 0
    subscriber.mustForget = flags & ImageFlag.mustForget != 0
    subscriber.isQueued = flags & ImageFlag.isQueued != 0
    let restriction = reader.integer(UInt8.self)
    guard restriction == 0 || Restriction(rawValue: restriction) != nil else { throw EngineBuilder.damaged }
    let (name, socket) = (reader.shortBytes(), reader.shortBytes().text)
    if flags & ImageFlag.hasOrigin != 0 { info.origin = reader.peerOrigin() }
    guard socket.isEmpty || engine.options.access.sockets.contains(where: { $0.name == socket }) else {
      throw EngineBuilder.damaged
    }
    engine.open(
      session, peer: info.peer, groups: engine.hasRules ? groups(session.raw) : [], origin: info.origin,
      at: socket.isEmpty ? nil : socket, now: Instant(wall: info.since, boot: 0))
    engine.feed.sessions.restore(info, name: name.text, of: session)
    if let restriction = Restriction(rawValue: restriction) {
      engine.feed.sessions.restrict(session, to: restriction)
      engine.attention.hasRestricted = true
    }
    sessions.append(SessionPart(session: session, subscriber: subscriber, delivery: delivery))
    positions.append(subscriber.position)
  }

  /// Sessions are numbered by descriptors, and there are never more of those.
  private static let sessionLimit: Int32 = 1 << 20

  private mutating func takeWatch(_ reader: inout ByteReader) throws(ImageError) {
    let (request, snapshot) = (reader.integer(UInt32.self), reader.integer(UInt64.self))
    let flags = reader.integer(UInt8.self)
    let text = reader.shortBytes().text
    let (removals, interval) = (reader.integer(UInt64.self), reader.integer(UInt32.self))
    guard let last = sessions.indices.last, !reader.failed else { throw EngineBuilder.damaged }
    let pattern: NamePattern
    do throws(HubError) { pattern = try NamePattern(text) } catch { throw EngineBuilder.damaged }
    if sessions[last].watches.isEmpty { try putStoresInOrder() }
    let watch = Watch(
      session: sessions[last].session.raw, request: request,
      policy: flags & ImageFlag.filtered != 0 ? .filtered : flags & ImageFlag.every != 0 ? .every : .latest,
      schemas: flags & ImageFlag.schemas != 0, interval: interval, snapshot: snapshot, removals: removals)
    let index = engine.feed.hold(pattern, for: watch, &engine.stores)
    newestPattern = engine.feed.sessions[watch: index].pattern
    sessions[last].watches.append(index)
  }

  private mutating func takeOwned(_ reader: inout ByteReader) throws(ImageError) {
    guard let last = sessions.indices.last else { throw EngineBuilder.damaged }
    while reader.remaining > 0, !reader.failed {
      sessions[last].owned.append(StoreID(raw: reader.integer()))
    }
  }

  // MARK: The whole

  private var isInOrder = false

  /// All stores exist: makes them members of `**`, in the order of their last changes.
  private mutating func putStoresInOrder() throws(ImageError) {
    if isInOrder { return }
    isInOrder = true
    guard let hub, engine.stores.restoreFreeSlots(freeSlots, used: Int(hub.used), lastSerial: hub.lastSerial)
    else { throw EngineBuilder.damaged }
    guard engine.stores.linkStaged().isEmpty else { throw EngineBuilder.damaged }
    // It sorts numbers, of whatever.
    var order = RevisionOrder(capacity: engine.stores.count)
    for slot in 0..<engine.stores.used where engine.stores[slot].id.raw != 0 {
      order.append(Int32(slot), revision: engine.stores[slot].position)
    }
    order.sort()
    storePositions.reserveCapacity(engine.stores.count)
    var last: (position: UInt64, revision: Revision) = (0, 0)
    for entry in order.entries {
      let (position, revision) = (entry.revision, engine.stores[Int(entry.slot)].revision)
      guard position > last.position, revision >= last.revision else { throw EngineBuilder.damaged }
      last = (position, revision)
      storePositions.append(position)
      engine.feed.patterns[PatternTable.everything].order.append(
        ChangeOrder.Entry(position: position, revision: revision, slot: entry.slot))
    }
  }

  private mutating func complete() throws(ImageError) {
    guard let hub else { throw ImageError("the image holds no hub") }
    try putStoresInOrder()
    guard engine.history.log.head == hub.head, !keepsLog || engine.history.log.tail == hub.tail,
      areBorders(storePositions), areBorders(positions.sorted())
    else { throw EngineBuilder.damaged }
    engine.history.turn = TurnSpan(start: engine.history.log.head)
    var owners: [StoreID: SessionID] = [:]
    for part in sessions {
      for id in part.owned { owners[id] = part.session }
    }
    for (id, lifetime) in engine.stores.takeKeptLifetimes() {
      guard let slot = engine.stores.find(id), lifetime.isSet, lifetime.isEphemeral == (owners[id] != nil)
      else { throw EngineBuilder.damaged }
      engine.stores.setLifetime(of: slot, deadline: lifetime.deadline, owner: owners[id])
    }
    try findMembers()
    for part in sessions { try open(part) }
    engine.attention.hasFilters = !engine.feed.filters.isEmpty
  }

  private mutating func open(_ part: SessionPart) throws(ImageError) {
    let (delivery, watches) = (part.delivery, part.watches)
    switch delivery {
    case .greeting, .idle: guard watches.isEmpty else { throw EngineBuilder.damaged }
    case .live, .behind, .resting: guard !watches.isEmpty else { throw EngineBuilder.damaged }
    case .paused, .closed: break
    }
    let (session, wasQueued) = (part.session, part.subscriber.isQueued)
    engine.feed.sessions.restore(part.subscriber, delivery: delivery, of: session)
    engine.feed.sessions[session].isQueued = false
    // Reversed, because the list grows at its front.
    for watch in watches.reversed() { engine.feed.sessions.begin(watch: watch) }
    let filter = engine.feed.filters[session]
    guard engine.feed.isFiltered(session) == (filter != nil) else { throw EngineBuilder.damaged }
    if delivery == .live { engine.feed.joinLive(session) }
    if delivery == .resting {
      guard let filter else { throw EngineBuilder.damaged }
      engine.feed.resting.set(session, to: filter.restsUntil)
    }
    if engine.feed.hasNews(session) { engine.feed.wakeForNews(session) }
    if wasQueued { engine.feed.enqueue(session) }
  }

  /// Whether every one of these positions, in order, lies between two of the log's frames, or before them.
  private func areBorders(_ positions: [UInt64]) -> Bool {
    var index = 0
    for position in positions where position > engine.history.log.tail {
      while index < borders.count, borders[index] < position { index += 1 }
      if index == borders.count { return position >= engine.history.log.head }
      if borders[index] != position { return false }
    }
    return true
  }
}
