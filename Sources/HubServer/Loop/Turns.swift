// A turn's beginning and end: sessions that have ended go, and those that are due get their events, one send each, from where
// the engine has them.

import CLinux
import Glibc
import HubCore

extension Exchange {
  /// A session that catches up gets at most so many batches, of about 64 KiB each, in one turn.
  private static let batchesPerTurn = 4

  /// A turn begins.
  @inline(__always)
  mutating func begin(at time: Instant) {
    now = time
    isTurnFull = false
    connections.resumeYielding(&engine)
  }

  /// Ends the values whose time is up.
  @inline(__always)
  mutating func expireValues() {
    if let deadline = engine.standing().deadline, deadline <= now.boot { engine.expire(now: now) }
  }

  mutating func finishTurn() {
    closeEnded()
    // Values that ended by themselves, and those of sessions that ended.
    if engine.hasOutbox { commitTurn() }
    engine.endTurn()
    while let session = engine.nextDue() { deliver(to: session) }
  }

  private mutating func deliver(to session: SessionID) {
    let descriptor = session.raw
    guard connections.takesEvents(descriptor) else { return engine.hold(session) }
    for _ in 0..<Exchange.batchesPerTurn {
      let due = engine.due(for: session)
      if due.isEmpty { return }
      let sent = clinux_send(descriptor, due.base, due.count)
      if sent != due.count { return keepRest(for: descriptor, sent) }
      _ = engine.sent(sent, to: session)
    }
    engine.hold(session)
    connections.yield(descriptor)
  }

  /// The socket took only a part of what was due.
  private mutating func keepRest(for descriptor: Int32, _ result: Int) {
    let problem = errno
    let rest = engine.sent(max(0, result), to: SessionID(raw: descriptor))
    if result < 0, problem != EAGAIN, problem != EINTR { return connections.lose(descriptor, &engine) }
    connections.block(descriptor, rest: rest, cut: rest.count, &engine)
    if connections.budget.isExceeded { relieveMemory() }
  }

  // MARK: Between turns

  /// Takes turns in which nobody is served, until none is needed.
  mutating func finishTurns() {
    while connections.hasEnded || !engine.isBetweenTurns {
      commitTurn()
      finishTurn()
    }
  }

  /// Nothing is on its way, to the disk or to anybody. Nobody's answer is left to the next hub.
  mutating func settle() {
    finishTurns()
    if let journal {
      journal.quiesce(&engine, now: now)
      takeJournalReports()
      finishTurns()
    }
    connections.closeLeaving(before: .max)
    noteFigures()
    log.writeSuppressed()
  }

  /// A last turn, in which everybody is looked at.
  mutating func serveAll() {
    isTurnFull = false
    for descriptor in 0..<connections.limit { connections.markReady(descriptor) }
    serveReady()
    commitTurn()
    finishTurn()
  }

  /// Tells everybody why the hub ends.
  mutating func dismissAll(_ reason: EndReason, _ message: String) {
    for descriptor in 0..<connections.limit where connections[descriptor].life.isOpen {
      dismiss(descriptor, reason, message)
    }
    closeEnded()
  }

  // MARK: Sessions that end

  /// How many bytes a client may lack of the frame that it is in the middle of, to be told why it is ended for its memory.
  private static let worthFinishing = 64 << 10

  mutating func closeEnded() {
    if !connections.hasEnded { return }
    var index = 0
    while let descriptor = connections.endedSession(index) {
      if log.isDebugging { logClosed(descriptor) }
      engine.close(SessionID(raw: descriptor), now: now)
      gate.forget(descriptor, connections[descriptor].waiting)
      reloading.forget(descriptor)
      connections.close(descriptor, now: now)
      engine.counters.connectionsEnded &+= 1
      index += 1
    }
    connections.forgetEnded()
    engine.counters.unsentBytes = UInt64(connections.budget.used)
  }

  /// Says one last thing to the session, behind what waits for it, and ends it when that was taken.
  mutating func dismiss(_ descriptor: Int32, _ reason: EndReason, _ message: String) {
    connections.silence(descriptor)
    HubEvent.ended(reason, message: message).encode(into: &replies)
    flushReplies(to: descriptor)
    connections.endIfFinished(descriptor)
  }

  /// Sessions make the hub keep more than it may: those that it keeps the most for are ended, until it is enough.
  mutating func relieveMemory() {
    while let descriptor = connections.overweight {
      let peer = engine.peer(of: SessionID(raw: descriptor))
      let message =
        "it made the hub keep \(connections[descriptor].heldBytes) bytes (replies that it did not read, requests that it "
        + "did not finish) when all clients together may make it keep \(connections.budget.limit)"
      log.write(
        .warning, .notReading, at: now.boot,
        "ended a client, process \(peer.pid) of user \(peer.uid): \(message)")
      let rest = connections[descriptor].output.restOfCutFrame
      if connections[descriptor].life.isOpen, rest <= Exchange.worthFinishing {
        engine.hold(SessionID(raw: descriptor))
        connections.keepCutFrame(of: descriptor)
        dismiss(descriptor, .notReading, message)
      } else {
        connections.end(descriptor)
      }
    }
  }
}
