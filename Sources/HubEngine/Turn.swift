// Owns the order of a turn: which requests the engine accepts when, as values that the caller must hold to make them.
//
//     openTurn --> Turn:        receive, expire, close, and the journal's write
//                   | complete --> nothing, if no session is due
//                   | seal
//                   v
//                 SealedTurn:   nextDue, due, sent      suspend
//                   | end                  ^  +------------>  nothing: the turn is still sealed
//                   v                      +---- resume ---------+
//                 nothing; the next turn is open
//
// Sealing and ending consume, so a call that comes too early or too late does not compile. While a sealed turn is
// suspended, requests can be received: those that change nothing are executed, the others must be asked again.

package import HubCore

/// An open turn: every request made with it is part of it. It has no size, and neither has the next.
package struct Turn: ~Copyable {
  init() {}
}

/// A turn whose changes are complete and in the journal: they are handed out, and nothing else changes in the meantime.
package struct SealedTurn: ~Copyable {
  init() {}
}

extension HubEngine {
  /// The open turn. Until it is sealed, every call returns the same one; while it is sealed, the next one, in which nothing
  /// changes yet.
  package mutating func openTurn() -> Turn { Turn() }

  /// The turn is sealed and has not ended.
  @inline(__always)
  package var isHandingOut: Bool { mutating get { isSealed } }

  /// Completes the turn's changes: notes them for their watchers, and ends the turn if no session is due. The outbox must be
  /// written by now: afterwards no journal can undo them.
  ///
  /// - Returns: the turn, if it must be sealed. Nil: it is over; or it continues, because noting takes another step,
  ///   and in the meantime only requests that change nothing are executed (`hasWork`).
  package mutating func complete(_ turn: consuming Turn) -> Turn? {
    precondition(!isSealed, "a turn is complete when the one before has ended")
    precondition(ledger.outbox.bytes.isEmpty, "a turn's changes are noted when they are written")
    if !feed.pending.isEmpty {
      var effort = Effort(longStepWork)
      guard feed.notePending(&stores, &effort) else { return nil }
    }
    guard feed.isQuiet else { return turn }
    let hasChanges = closeTurn()
    // Includes work that an earlier turn left because its budget was spent.
    feed.endQuietTurn(&stores, stepWork: options.stepWork)
    if hasChanges { history.endTurn() }
    return nil
  }

  /// Finds the sessions that follow what changed, after noting what is left to note. The outbox must be written by now: no
  /// client is shown what the journal may lack.
  package mutating func seal(_ turn: consuming Turn) -> SealedTurn {
    precondition(!isSealed && ledger.outbox.bytes.isEmpty, "a turn is sealed once, when it is written")
    isSealed = true
    var effort = Effort(.max)
    _ = feed.notePending(&stores, &effort)
    if closeTurn() { feed.sealTurn() }
    return SealedTurn()
  }

  /// The turn's changes are complete and noted.
  ///
  /// - Returns: whether there are any.
  @inline(__always)
  private mutating func closeTurn() -> Bool {
    monitoring.counters.turns &+= 1
    if history.isQuiet { return false }
    history.closeTurn(isWatched: feed.sessions.watchCount > 0)
    return true
  }

  /// A session that is due, each once per turn; nil when there are no more, or when it takes another step to find them (`hasDue`).
  package mutating func nextDue(in turn: borrowing SealedTurn) -> SessionID? {
    if feed.isSearching, !findDue() { return nil }
    return feed.nextDue(history.log.head)
  }

  private mutating func findDue() -> Bool {
    var effort = Effort(longStepWork)
    defer { work &+= effort.spent }
    return feed.findDue(&effort)
  }

  /// What others wait for may take ten steps' work at once.
  private var longStepWork: Int { options.stepWork == .max ? .max : options.stepWork &* 10 }

  /// There may be more sessions that are due, although `nextDue` has found none: the turn is suspended until the next step.
  package func hasDue(in turn: borrowing SealedTurn) -> Bool { !feed.isHandedOut }

  /// What the session gets next, contiguous; empty if nothing. Valid until the engine's next mutation, which must be
  /// `sent`.
  package mutating func due(for session: SessionID, in turn: borrowing SealedTurn) -> ByteView {
    feed.due(for: session, &history, &stores, &work)
  }

  /// Reports how many of the due bytes were taken. If not all, the session is paused and the rest of the cut frame is
  /// returned: copy it at once, and send it before anything else.
  package mutating func sent(_ count: Int, to session: SessionID, in turn: borrowing SealedTurn) -> ByteView {
    feed.sent(count, to: session, &history, &stores)
  }

  /// After `sent`: keeps what is left of the cut frame where it is, instead of a copy, if that is worth it.
  package mutating func holdRest(_ count: Int, in turn: borrowing SealedTurn) -> FrameRest? {
    guard count > 0, let cut = feed.cutFrame else { return nil }
    return FrameRest(history.log.hold(endingAt: cut.end, length: cut.length), count: count)
  }

  /// Whether the session has only a part of what concerned it before this turn.
  @inline(__always)
  package mutating func isBehind(_ session: SessionID, in turn: borrowing SealedTurn) -> Bool {
    feed.sessions[session].delivery == .behind
  }

  /// The rest is handed out later: others have waited long enough.
  package mutating func suspend(_ turn: consuming SealedTurn) {}

  /// Continues the suspended turn.
  package mutating func resume() -> SealedTurn {
    precondition(isSealed, "there is no turn to continue")
    return SealedTurn()
  }

  /// Every due session was handed out. To forget what the turn has noted may take several steps: then the turn is still sealed, as if
  /// it was suspended.
  package mutating func end(_ turn: consuming SealedTurn) {
    assert(feed.isHandedOut, "a turn ends when no session is due any more")
    var effort = Effort(longStepWork)
    defer { work &+= effort.spent }
    guard feed.endTurn(&stores, &effort) else { return }
    isSealed = false
    history.endTurn()
    if feed.patterns.isUntidy { tidy() }
  }

  private mutating func tidy() {
    var effort = Effort(options.stepWork)
    feed.patterns.tidy(stores: &stores, &effort)
  }
}
