// Values that end: when their time is up or their owner is gone, they return to the initial value or the store is removed.

extension HubEngine {
  /// The most deadlines that one call of `expire` looks at, so that a turn stays short.
  private static let expiriesPerTurn = 1000

  /// Ends the values whose time is up. `nextDeadline` says when to call again; it may already be past.
  package mutating func expire(in turn: borrowing Turn, now: Instant) {
    if feed.isLagging || isSealed { return }
    var looks = HubEngine.expiriesPerTurn
    while let slot = stores.takeEnded(by: now.boot, looks: &looks) { endValue(of: slot, now: now) }
  }

  /// Ends values that a session owned, in one transaction.
  ///
  /// - Returns: whether none is left.
  mutating func endOwned(by session: SessionID, now: Instant, _ effort: inout Effort) -> Bool {
    // Ten steps' work, so that few clients ever see a second transaction.
    let most = options.stepWork == .max ? .max : max(64, options.stepWork * 10 / Cost.write)
    let owned = stores.takeOwned(by: session, most: most)
    if owned.isEmpty { return true }
    begin(by: nil)
    for id in owned {
      guard let slot = stores.find(id), stores[slot].owner == session.raw else { continue }
      endValue(of: slot, now: now)
    }
    commit()
    effort.spend(Cost.write * owned.count)
    return !stores.hasOwned(by: session)
  }

  mutating func endValue(of slot: Int, now: Instant) {
    guard let initial = stores.schema(of: slot).initial else {
      _ = removeStore(slot, by: nil, now: now)
      return
    }
    ledger.undo.willChange(slot, in: stores)
    stores.clearLifetime(of: slot)
    let bytes = initial.bytes
    if bytes.withByteView({ stores.value(of: slot).bytes.equals($0) }) {
      return ledger.tellLifetime(of: slot, &stores, now: now)
    }
    bytes.withByteView { stores.setValue($0, of: slot) }
    announceChange(of: slot, by: nil, now: now)
  }

  /// Every successful set sets the lifetime again.
  @inline(__always)
  mutating func setLifetime(of slot: Int, _ command: SetCommand, _ session: SessionID, _ now: Instant) {
    let hasLifetime = command.flags & (SetCommand.Flag.ttl | SetCommand.Flag.ephemeral) != 0
    if hasLifetime || stores[slot].ends { renewLifetime(of: slot, command, session, now) }
  }

  private mutating func renewLifetime(
    of slot: Int, _ command: SetCommand, _ session: SessionID, _ now: Instant
  ) {
    let wasOwner = stores[slot].owner == session.raw
    stores.clearLifetime(of: slot)
    if command.flags & SetCommand.Flag.ephemeral != 0 {
      stores.setOwner(session, of: slot, wasOwner: wasOwner)
    }
    if command.flags & SetCommand.Flag.ttl != 0 {
      let (span, overflow) = command.ttl.multipliedReportingOverflow(by: 1_000_000)
      stores.setDeadline(overflow || span > .max - now.boot ? .max : now.boot + span, of: slot)
    }
    if !ledger.undo.isRecording { stores.tidyLifetimes(of: session) }
  }
}
