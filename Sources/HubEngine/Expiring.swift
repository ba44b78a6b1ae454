// Values that expire: when their time is up or their owner is gone, they return to the initial value or the store is removed.

package import HubCore

extension HubEngine {
  /// The most values that one call of `expire` ends, so that a turn stays short.
  private static let expiriesPerTurn = 300

  /// Ends the values, the intervals of sessions, and the waits for writes, whose time is up. `nextDeadline` says when to call again; it may
  /// already be past.
  package mutating func expire(in turn: borrowing Turn, now: Instant) {
    if feed.isLagging || isSealed { return }
    feed.clock = now.boot
    if feed.nextAlarm <= now.boot {
      var effort = Effort(options.stepWork)
      feed.wakeRested(&effort)
      feed.wakeOverdue(&effort)
      work &+= effort.spent
    }
    var left = HubEngine.expiriesPerTurn
    while left > 0, let slot = stores.nextEnded(by: now.boot) {
      endValue(of: slot, now: now)
      left -= 1
    }
  }

  /// Ends values that a session owned, in one transaction.
  ///
  /// - Returns: whether none is left.
  mutating func endOwned(by session: SessionID, now: Instant, _ effort: inout Effort) -> Bool {
    if stores.firstOwned(by: session) == nil { return true }
    // More than a step's work, so that few clients ever see a second transaction.
    var left = options.stepWork == .max ? .max : max(64, options.stepWork * 3 / Cost.write)
    begin()
    while left > 0, let slot = stores.firstOwned(by: session) {
      endValue(of: slot, now: now)
      effort.spend(Cost.write)
      left -= 1
    }
    commit()
    return stores.firstOwned(by: session) == nil
  }

  mutating func endValue(of slot: Int, now: Instant) {
    if attention.hasClaims, leaveEnd(of: slot, now: now) { return }
    guard let initial = stores.schema(of: slot).initial else {
      _ = removeStore(slot, by: nil, now: now)
      return
    }
    ledger.undo.willChange(slot, in: &stores)
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
    var deadline: UInt64 = 0
    if command.flags & SetCommand.Flag.ttl != 0 {
      let (span, overflow) = command.ttl.multipliedReportingOverflow(by: 1_000_000)
      deadline = overflow || span > .max - now.boot ? .max : now.boot + span
    }
    let isEphemeral = command.flags & SetCommand.Flag.ephemeral != 0
    stores.setLifetime(of: slot, deadline: deadline, owner: isEphemeral ? session : nil)
  }
}
