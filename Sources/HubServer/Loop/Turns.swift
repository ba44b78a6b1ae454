// The start and end of a turn: ended sessions are closed, and due sessions get their events, with one send each, directly from the engine's memory.

import HubCore
import HubEngine
import HubSystem

extension Exchange {
  /// How many batches, of about 64 KiB each, a session that catches up gets in one turn.
  private static let batchesPerTurn = 4

  /// What handing out a turn may cost, in the engine's units, before others are looked after.
  private static let handOutWork = 500_000
  /// The total cost after which sessions that catch up must wait for the next turn.
  private static let catchUpWork = 4_000_000
  /// The total cost after which all others must catch up as well: until the turn has ended, writes wait.
  private static let liveWork = 50_000_000
  /// What a send costs besides one for each of its bytes: the kernel copies them.
  private static let send = 1500

  /// Begins a turn, or a step of one that is still being handed out.
  @inline(__always)
  mutating func begin(at time: Instant) -> Turn {
    now = time
    connections.turnStart = time.boot
    isTurnFull = false
    if !engine.isHandingOut {
      connections.resumeYielding(&engine)
      journal?.check(&engine, now: now)
    }
    return engine.openTurn()
  }

  /// Ends the values whose time is up.
  @inline(__always)
  mutating func expireValues(in turn: borrowing Turn) {
    guard engine.hasEnded(by: now.boot) else { return }
    engine.expire(in: turn, now: now)
  }

  /// Sends the turn's events.
  @inline(__always)
  mutating func finish(_ turn: consuming Turn) {
    if engine.isHandingOut { return handOut(engine.resume()) }
    if connections.hasEnded { closeEnded(in: turn) }
    if engine.mayKeepTooMuch { boundMemory() }
    noteFreed()
    // Writes the changes of values that ended, by themselves or with their sessions.
    if engine.hasOutbox || isJournalClosed { commit(turn) }
    if engine.hasClaims { dealWithProviders(in: turn) }
    guard let turn = engine.complete(turn) else { return }
    handedOut = 0
    handOut(engine.seal(turn))
  }

  /// Sends the events of a sealed turn, until all are sent or others have waited long enough.
  @inline(__always)
  private mutating func handOut(_ turn: consuming SealedTurn) {
    let start = engine.work
    var spent = 0
    while let session = engine.nextDue(in: turn) {
      spent &+= deliver(to: session, in: turn, since: start)
      if spent &+ engine.work &- start >= Exchange.handOutWork {
        handedOut &+= spent &+ engine.work &- start
        return engine.suspend(turn)
      }
    }
    if engine.hasDue(in: turn) {
      handedOut &+= spent &+ engine.work &- start
      return engine.suspend(turn)
    }
    engine.end(turn)
  }

  /// - Parameter start: the engine's work before this step.
  /// - Returns: what it has cost besides the engine's work.
  private mutating func deliver(
    to session: SessionID, in turn: borrowing SealedTurn, since start: Int
  ) -> Int {
    let descriptor = session.raw
    var spent = 0
    guard connections.takesEvents(descriptor) else {
      engine.pauseDelivery(to: session)
      return spent
    }
    if handedOut > Exchange.liveWork || handedOut > Exchange.catchUpWork && engine.isBehind(session, in: turn)
    {
      engine.pauseDelivery(to: session)
      connections.yield(descriptor, hadEnough: false)
      return spent
    }
    for _ in 0..<Exchange.batchesPerTurn {
      let due = engine.due(for: session, in: turn)
      if due.isEmpty { return spent }
      spent &+= Exchange.send &+ due.count
      if let cut = Socket.sendWhole(due.buffer, to: descriptor) {
        keepRest(for: descriptor, cut.count, in: turn)
        return spent
      }
      _ = engine.sent(due.count, to: session, in: turn)
      if !engine.isBehind(session, in: turn) { return spent }
      if engine.work &- start > Exchange.stepWork { break }
    }
    engine.pauseDelivery(to: session)
    connections.yield(descriptor, hadEnough: true)
    return spent
  }

  /// The socket took only part of what was due.
  private mutating func keepRest(
    for descriptor: Int32, _ sent: Int?, in turn: borrowing SealedTurn
  ) {
    let rest = engine.sent(sent ?? 0, to: SessionID(raw: descriptor), in: turn)
    if sent == nil { return connections.lose(descriptor, &engine) }
    if let held = engine.holdRest(rest.count, in: turn) {
      connections.block(descriptor, rest: held, &engine)
    } else {
      connections.block(descriptor, rest: rest, cut: rest.count, &engine)
    }
    // Frames that are copied later are no longer than the change log.
    if connections.budget.isExceeded(with: engine.bytesAside) { relieveMemory() }
  }

  // MARK: Between turns

  /// Runs turns in which no session is served, until none is needed.
  mutating func finishTurns() {
    while connections.hasEnded || !engine.isBetweenTurns {
      let turn = engine.openTurn()
      commit(turn)
      finish(turn)
    }
  }

  /// Ensures that nothing is in flight to the disk or to a session, and that no answer is left to the next hub.
  mutating func settle() {
    finishTurns()
    if let journal {
      journal.quiesce(&engine, now: now)
      takeJournalReports()
      finishTurns()
    }
    connections.closeLeaving(before: .max)
    noteFigures()
    noteUse()
    log.writeSuppressed()
  }

  /// Runs a last turn that looks at every session.
  mutating func serveAll() {
    finishHandingOut()
    let turn = begin(at: now)
    for descriptor in 0..<connections.limit { connections.addReady(descriptor) }
    serveReady(in: turn)
    commit(turn)
    finish(turn)
    finishHandingOut()
  }

  private mutating func finishHandingOut() {
    while engine.isHandingOut { finish(engine.openTurn()) }
  }

  /// Notifies every session of the reason why the hub stops.
  mutating func dismissAll(_ reason: EndReason, _ message: String) {
    for descriptor in 0..<connections.limit where connections[descriptor].life.isOpen {
      dismiss(descriptor, reason, message)
    }
    closeEnded(in: engine.openTurn())
  }

  // MARK: Sessions that end

  /// How much may be missing of the frame that a client is receiving, for the hub to finish it and say that memory is why
  /// it ends.
  private static let worthFinishing = 64 << 10

  /// What the ends of sessions may cost of a turn, in the engine's units; the rest is left to the next.
  private static let endsWork = 200_000

  mutating func closeEnded(in turn: borrowing Turn) {
    let enough = engine.work &+ Exchange.endsWork
    var index = 0
    while engine.work < enough, let descriptor = connections.endedSession(index) {
      let farewell = log.isDebugging ? closing(of: descriptor) : nil
      guard engine.close(SessionID(raw: descriptor), in: turn, now: now) else { break }
      if let farewell { log.write(.debug, farewell) }
      engine.noteLooks(gate.forget(descriptor, connections[descriptor].waiting))
      reloading.forget(descriptor)
      connections.close(descriptor, now: now)
      engine.monitoring.counters.connectionsEnded &+= 1
      index += 1
    }
    connections.forgetEnded(index)
    engine.monitoring.counters.unsentBytes = UInt64(connections.budget.used)
  }

  /// Sends one last message to the session, after what waits for it, and ends the session once that was taken.
  mutating func dismiss(_ descriptor: Int32, _ reason: EndReason, _ message: String) {
    connections.silence(descriptor)
    HubEvent.ended(reason, message: message).encode(into: &replies)
    flushReplies(to: descriptor)
    connections.endIfFinished(descriptor)
  }

  /// New stores have made watches larger, or stores have other values than those of which sessions still need a part.
  @inline(never)
  private mutating func boundMemory() {
    endOverdrawn()
    if connections.budget.isExceeded(with: engine.bytesAside) { relieveMemory() }
    engine.noteAsideChecked()
  }

  /// Sessions use more memory than allowed: ends those for which it keeps the most, until it is enough and some more,
  /// so that not each further byte takes a look at all of them.
  mutating func relieveMemory() {
    guard connections.budget.isExceeded(with: engine.bytesAside) else { return }
    var heaviest = connections.slots.heaviest()
    while connections.budget.isNearlyExceeded(with: engine.bytesAside), let descriptor = heaviest.next() {
      let peer = engine.peer(of: SessionID(raw: descriptor))
      let message =
        "it held \(connections[descriptor].heldBytes) bytes (replies that it did not read, requests that it "
        + "did not finish), more than the limit for all clients together, \(connections.budget.limit)"
      log.write(
        .warning, .notReading, at: now.boot,
        "disconnected a client, \(Exchange.name(of: peer)): \(message)")
      let rest = connections[descriptor].restOfCutFrame
      if connections[descriptor].life.isOpen, rest <= Exchange.worthFinishing {
        engine.pauseDelivery(to: SessionID(raw: descriptor))
        connections.keepCutFrame(of: descriptor)
        dismiss(descriptor, .notReading, message)
      } else {
        connections.end(descriptor)
      }
    }
  }
}
