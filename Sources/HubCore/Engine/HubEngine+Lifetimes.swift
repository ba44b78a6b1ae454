// Values that end: when their time is up or their owner has gone, they return to the initial value or the store goes.

extension HubEngine {
  /// At most so many values end in one call of `expire`, so that a turn stays short.
  private static let expiriesPerTurn = 1000

  /// Ends the values whose time is up. `nextDeadline` tells when to call again, also if it is past already.
  public mutating func expire(now: Instant) {
    for _ in 0..<HubEngine.expiriesPerTurn {
      guard let earliest = lifetimes.earliest, earliest.time <= now.boot else { return }
      lifetimes.removeEarliest()
      guard earliest.isCurrent(in: stores) else { continue }
      endValue(of: earliest.id.slot, now: now)
    }
  }

  /// Ends the values that a session owned, in one transaction.
  mutating func endOwned(by session: SessionID, now: Instant) {
    let owned = lifetimes.takeOwned(by: session)
    if owned.isEmpty { return }
    begin(by: nil)
    for id in owned {
      guard let slot = stores.find(id), stores[slot].owner == session.raw else { continue }
      endValue(of: slot, now: now)
    }
    commit()
  }

  mutating func endValue(of slot: Int, now: Instant) {
    guard let initial = stores.schema(of: slot).initial else {
      _ = removeStore(slot, by: nil, now: now)
      return
    }
    undo.willChange(slot, in: stores)
    clearLifetime(of: slot)
    let bytes = initial.bytes
    if bytes.withByteView({ stores.value(of: slot).bytes.equals($0) }) {
      return journalLifetime(of: slot, now: now)
    }
    bytes.withByteView { stores.setValue($0, of: slot) }
    announceChange(of: slot, by: nil, now: now)
  }

  /// Every successful set decides the lifetime anew.
  @inline(__always)
  mutating func setLifetime(of slot: Int, _ command: SetCommand, _ session: SessionID, _ now: Instant) {
    let hasLifetime = command.flags & (RequestFlag.ttl | RequestFlag.ephemeral) != 0
    if !hasLifetime, stores[slot].deadline == 0, stores[slot].owner < 0 { return }
    let isListed = stores[slot].owner == session.raw
    clearLifetime(of: slot)
    if command.flags & RequestFlag.ephemeral != 0 {
      stores[slot].owner = session.raw
      if !isListed { lifetimes.own(stores[slot].id, session: session) }
      // What is outdated within a transaction may be so no more when it is taken back.
      if !undo.isRecording, lifetimes.wantsTidying(of: session) { lifetimes.tidy(session, with: stores) }
    }
    if command.flags & RequestFlag.ttl != 0 {
      let (span, overflow) = command.ttl.multipliedReportingOverflow(by: 1_000_000)
      setDeadline(overflow || span > .max - now.boot ? .max : now.boot + span, of: slot)
      if lifetimes.wantsRebuild, !undo.isRecording {
        lifetimes.rebuild(with: stores)
      }
    }
  }

  /// For a store without a lifetime.
  mutating func setDeadline(_ deadline: UInt64, of slot: Int) {
    stores[slot].deadline = deadline
    lifetimes.live += 1
    lifetimes.add(Lifetimes.Deadline(time: deadline, id: stores[slot].id, lifetime: stores[slot].lifetime))
  }

  mutating func clearLifetime(of slot: Int) {
    if stores[slot].deadline != 0 { lifetimes.live -= 1 }
    stores[slot].deadline = 0
    stores[slot].lifetime &+= 1
    stores[slot].owner = -1
  }
}
