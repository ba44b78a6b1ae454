// Recovers an engine from a journal: frame by frame, then the order of changes and the numbers. It reads no file.

package import HubCore

extension HubEngine {
  /// Applies one frame of a snapshot or of the journal, in their order.
  ///
  /// - Parameter overlaps: the state so far may be newer than the frame, or may miss a store that was removed later.
  /// - Throws: `malformed` with what is wrong with the frame; the engine is then useless.
  package mutating func recover(_ frame: FrameView, overlaps: Bool) throws(HubError) {
    if frame.rawKind == PackedStores.kind { return try recoverStores(frame) }
    if stores.hasStaged { settleStores() }
    switch EventKind(rawValue: frame.rawKind) {
    case .change: try recoverChange(frame, overlaps)
    case .created: try recoverStore(frame, overlaps)
    case .removed: try recoverRemoval(frame, overlaps)
    case .current, .synced, .resumed, .forget, .ended, .forward, .withdraw, .ask: throw .malformed(frame)
    case nil:
      switch JournalFrame(frame) {
      case .unstored(let id, let revision, _)?:
        if let slot = stores.find(id), !(overlaps && revision < stores[slot].revision) { discard(slot) }
      case .lifetime(let id, let revision, let lifetime)?:
        // A frame older than the store's last change was superseded by a snapshot.
        guard let slot = stores.find(id), revision == stores[slot].revision else { return }
        stores.keep(lifetime.isSet ? lifetime : nil, of: id)
      case .snapshot(_, _, _, let floor)?, .removals(let floor)?:
        history.removals = Removals(limit: options.rememberedRemovals, floorRevision: floor)
      case .access(let openFrom)?: ledger.outbox.openFrom = openFrom
      case .claim(let offer, let owner)?: try recoverClaim(offer, owner, overlaps)
      case .unclaimed(let name)?: if let place = claims.place(named: name) { claims.remove(at: place) }
      case .some: break
      case nil: throw HubError.malformed(frame)
      }
    }
  }

  private mutating func recoverChange(_ frame: FrameView, _ overlaps: Bool) throws(HubError) {
    guard EventLayout.canContinue(frame) else { throw HubError.malformed(frame) }
    let id = StoreID(raw: frame.bytes[EventLayout.store])
    guard let slot = stores.find(id) else {
      if overlaps { return }
      throw HubError(.malformed, "it changes store \(id), which does not exist")
    }
    var reader = ByteReader(frame.bytes.suffix(from: EventLayout.body))
    guard let value = ValueView(reading: &reader), value.type == stores[slot].type else {
      // Its type may be from an older schema.
      if overlaps, isOlder(frame, than: slot) { return }
      throw HubError.malformed(frame)
    }
    if overlaps, isOlder(frame, than: slot) { return }
    apply(frame, value, to: slot)
  }

  /// Whether a frame changes a store that does not exist or is of another type, unless the frame is older than the store.
  ///
  /// - Parameter created: stores that will exist.
  package func missesStore(of frame: FrameView, besides created: Set<StoreID>) -> Bool {
    guard frame.rawKind == EventKind.change.rawValue, let (revision, id) = frame.changedStore,
      !created.contains(id)
    else { return false }
    guard let slot = stores.find(id) else { return true }
    var reader = ByteReader(frame.bytes.suffix(from: EventLayout.body))
    return ValueView(reading: &reader)?.type != stores[slot].type && revision >= stores[slot].revision
  }

  private func isOlder(_ frame: FrameView, than slot: Int) -> Bool {
    frame.bytes[EventLayout.revision] < stores[slot].revision
  }

  @inline(__always)
  private mutating func apply(_ frame: FrameView, _ value: ValueView, to slot: Int) {
    stores.setValue(value.bytes, of: slot)
    stores[slot].revision = frame.bytes[EventLayout.revision]
    stores[slot].version = frame.bytes[EventLayout.version]
    stores[slot].time = frame.bytes[EventLayout.time]
    stores[slot].uid = frame.bytes[EventLayout.uid]
    stores[slot].isStored = true
    stores.keep(nil, of: stores[slot].id)
  }

  private mutating func recoverStore(_ frame: FrameView, _ overlaps: Bool) throws(HubError) {
    guard EventLayout.canContinue(frame) else { throw HubError.malformed(frame) }
    let id = StoreID(raw: frame.bytes[EventLayout.store])
    var reader = ByteReader(frame.bytes.suffix(from: EventLayout.body))
    let name = reader.shortBytes()
    // Most have only a type: making a schema of it would take as long as everything else.
    let plain = reader.plainSchema()
    let schema = plain == nil ? reader.schema() : nil
    guard StoreName.problem(in: name) == nil, let type = plain ?? schema?.type,
      let value = ValueView(reading: &reader), value.type == type
    else { throw HubError.malformed(frame) }
    if let slot = stores.find(id) {
      if overlaps, isOlder(frame, than: slot) { return }
      guard stores.name(of: slot).equals(name) else { throw HubError.malformed(frame) }
      stores.setSchema(schema ?? Schema(type: type), of: slot)
      stores[slot].type = type
      apply(frame, value, to: slot)
      return recoverCreator(of: slot, &reader)
    }
    if let other = stores.find(name) {
      guard overlaps else { throw HubError(.malformed, "it creates \(name.text), which exists") }
      if stores[other].id.serial > id.serial { return }
      discard(other)
    }
    if overlaps, stores.isTaken(id.slot, byNewerThan: id) { return }
    if overlaps, let older = stores.find(slot: id.slot) { discard(older) }
    guard let slot = stores.recover(id, name: name, type: type, schema: schema) else {
      throw HubError(.malformed, "store \(id) cannot have that number")
    }
    var effort = Effort(.max)
    feed.patterns.admit(slot, stores: &stores, &effort)
    apply(frame, value, to: slot)
    recoverCreator(of: slot, &reader)
  }

  /// A store of the hub's own has none.
  private mutating func recoverCreator(of slot: Int, _ reader: inout ByteReader) {
    stores[slot].creator = reader.remaining == 0 ? StoreRecord.byHub : reader.integer()
  }

  private mutating func recoverRemoval(_ frame: FrameView, _ overlaps: Bool) throws(HubError) {
    guard case .removed(let text, let removal, _, _) = try HubEvent(decoding: frame) else {
      throw HubError.malformed(frame)
    }
    if let slot = stores.find(removal.id), !overlaps || removal.revision >= stores[slot].revision {
      discard(slot)
    }
    guard history.removals.entry(of: removal.id) == nil else { return }
    let name = try StoreName(text)
    history.removals.append(
      Removals.Entry(
        position: 0, removal: removal, name: name,
        rule: Array(text.utf8).withByteView { stores.permissions.rule(for: $0) }))
  }

  /// The claim has no provider yet: until it has one, writes to its stores are refused.
  private mutating func recoverClaim(_ offer: ClaimOffer, _ owner: UInt32, _ overlaps: Bool) throws(HubError)
  {
    let place = claims.place(named: offer.name)
    if claims.overlap(with: offer.patterns, besides: place, &work) != nil {
      // The claim that a snapshot has is newer.
      if overlaps { return }
      throw HubError(.malformed, "the claim \(offer.name) overlaps with another one")
    }
    var claim = Claim(claims.newNumber(), offer)
    claim.owner = owner
    if let place {
      claims.replace(claim, at: place)
    } else if claims.all.count < Claims.most {
      _ = claims.add(claim)
    }
  }

  /// Forgets a store as if it had never existed.
  private mutating func discard(_ slot: Int) {
    stores.keep(nil, of: stores[slot].id)
    var effort = Effort(.max)
    feed.patterns.dismiss(slot, stores: &stores, &effort)
    stores.unlink(slot)
    stores.free(slot)
  }

  /// Every frame was applied.
  ///
  /// - Parameters:
  ///   - revision: at or above every revision that may have been used.
  ///   - serial: at or above every serial number that may have been used.
  ///   - floor: bookmarks below it cannot be resumed.
  ///   - isSameBoot: the machine has not rebooted since.
  package mutating func finishRestoring(
    revision: Revision, serial: UInt64, floor: Revision, isSameBoot: Bool, now: Instant
  ) {
    if stores.hasStaged { settleStores() }
    stores.finishAdopting(serial: max(serial, stores.lastSerial))
    history.revision = revision
    stores.permissions.follow(openFrom: ledger.outbox.openFrom, at: revision)
    ledger.tellAccess(openFrom: stores.permissions.openFrom)
    orderChanges(floor: max(floor, history.removals.floorRevision))
    begin()
    recoverLifetimes(isSameBoot: isSameBoot, now: now)
    for place in claims.all.indices { publish(claim: place, now: now) }
    attention.hasClaims = !claims.isEmpty
    commit()
    // Stores that were persistent under other settings.
    for slot in 0..<stores.used
    where stores[slot].id.raw != 0 && stores[slot].durability == .volatile && stores[slot].isStored {
      ledger.tellUnwritten(slot, &stores)
    }
  }

  /// Lifetimes continue. Values that have ended since then end now, as ordinary changes of their stores: those whose time
  /// is up, and those of connections, which ended with the hub.
  private mutating func recoverLifetimes(isSameBoot: Bool, now: Instant) {
    for (id, lifetime) in stores.takeKeptLifetimes() {
      guard let slot = stores.find(id) else { continue }
      let deadline = lifetime.deadline(isSameBoot: isSameBoot, now: now)
      if lifetime.isEphemeral || deadline <= now.boot {
        endValue(of: slot, now: now)
      } else {
        stores.setLifetime(of: slot, deadline: deadline, owner: nil)
        // The clock that measured it has restarted.
        if deadline != lifetime.deadline { ledger.tellLifetime(of: slot, &stores, now: now) }
      }
    }
  }

  /// Puts stores and removals into the order of their last changes, with positions that start over.
  private mutating func orderChanges(floor: Revision) {
    var order = RevisionOrder(capacity: stores.count)
    for slot in 0..<stores.used where stores[slot].id.raw != 0 {
      order.append(Int32(slot), revision: stores[slot].revision)
    }
    order.sort()
    // No client can hold a bookmark below the floor and ask for removals before it.
    var gone: [Removals.Entry] = []
    history.removals.forEach { if $0.removal.revision > floor { gone.append($0) } }
    gone.sort { $0.removal.revision < $1.removal.revision }
    history.removals = Removals(limit: options.rememberedRemovals, floorRevision: floor)
    var position: UInt64 = 0
    var next = 0
    var effort = Effort(.max)
    for entry in order.entries {
      let (revision, slot) = (entry.revision, Int(entry.slot))
      while next < gone.count, gone[next].removal.revision < revision {
        position += 1
        gone[next].position = position
        next += 1
      }
      position += 1
      stores[slot].position = position
      let change = PendingChange(
        end: position, length: 0, slot: Int32(slot), kind: .changed, isGrouped: false)
      feed.patterns.note(change, stores[slot], &effort)
    }
    for index in next..<gone.count {
      position += 1
      gone[index].position = position
    }
    for entry in gone { history.removals.append(entry) }
    let newest = max(order.entries.last?.revision ?? 0, gone.last?.removal.revision ?? 0, floor)
    history.log = ChangeLog(capacity: options.changeLogBytes, head: position, tailRevision: newest)
    history.turn = TurnSpan(start: position)
  }
}
