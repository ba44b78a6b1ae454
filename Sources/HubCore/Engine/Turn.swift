// Owns the order of a turn: what may be asked of the engine when, as values that its owner has to have for it.
//
//     openTurn --> Turn:        receive, expire, close, and the journal's write
//                   | seal
//                   v
//                 SealedTurn:   nextDue, due, sent
//                   | end
//                   v
//                 nothing; the next turn is open
//
// Sealing and ending consume, so that what comes too late or too early does not compile.

/// A turn that is open: what is asked in it is part of it. Of no size, as is the next.
public struct Turn: ~Copyable {
  init() {}
}

/// A turn whose changes are complete, and told to the journal: they are handed out, and nothing else changes meanwhile.
public struct SealedTurn: ~Copyable {
  init() {}
}

extension HubEngine {
  /// The turn that is open. One that is not sealed goes on, however often it is asked for.
  public mutating func openTurn() -> Turn {
    precondition(!isSealed, "a turn begins when the one before has ended")
    return Turn()
  }

  /// Finds out who follows what changed. The outbox has been written by now: nobody is shown what the journal may not hold.
  public mutating func seal(_ turn: consuming Turn) -> SealedTurn {
    precondition(!isSealed && ledger.outbox.bytes.isEmpty, "a turn is sealed once, when it is written")
    isSealed = true
    counters.turns &+= 1
    if history.sealTurn(isWatched: feed.sessions.watchCount > 0) { feed.sealTurn() }
    return SealedTurn()
  }

  /// A session that has something to be sent, each once per turn; nil when there is none any more.
  public mutating func nextDue(in turn: borrowing SealedTurn) -> SessionID? { feed.nextDue(history.log.head) }

  /// What the session gets next, in one piece; empty if that is nothing. Valid until the engine's next mutation, which has to
  /// be `sent`.
  public mutating func due(for session: SessionID, in turn: borrowing SealedTurn) -> ByteView {
    feed.due(for: session, &history, &stores)
  }

  /// Tells how many of the due bytes were taken. If not all of them, the session is held, and the rest of the frame that was
  /// cut is returned: it has to be copied at once, and be sent before anything else.
  public mutating func sent(_ count: Int, to session: SessionID, in turn: borrowing SealedTurn) -> ByteView {
    feed.sent(count, to: session, &history)
  }

  /// Everybody who is due was handed out.
  public mutating func end(_ turn: consuming SealedTurn) {
    assert(feed.isHandedOut, "a turn ends when nobody is due any more")
    isSealed = false
    feed.endTurn(&stores)
    history.endTurn()
  }
}
