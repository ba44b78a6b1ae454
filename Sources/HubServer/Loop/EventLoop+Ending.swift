// How sessions end: because the client went, because it broke the rules, or because the hub stops. Closing happens in one place.

import CLinux
import Glibc
import HubCore

extension EventLoop {
  /// A session that is ended for its memory is told so, if the frame that it is in the middle of lacks no more than this.
  private static let worthFinishing = 64 << 10
  /// How long a hub that stops waits for its disk, in nanoseconds.
  private static let diskPatience: UInt64 = 10_000_000_000

  /// Nothing more is done for the session; it is closed in `closeEnded`, when nobody looks at it.
  mutating func end(_ descriptor: Int32) {
    guard sessions[descriptor].state != .ended else { return }
    sessions[descriptor].state = .ended
    sessions[descriptor].input.clear(budget: &budget)
    sessions[descriptor].output.clear(budget: &budget)
    ended.append(descriptor)
  }

  mutating func closeEnded() {
    if ended.isEmpty { return }
    for descriptor in ended {
      if isDebugging { logClosed(descriptor) }
      engine.close(SessionID(raw: descriptor), now: now)
      if sessions[descriptor].awaitsDisk > 0 { syncQueue.forget(descriptor) }
      if sessions[descriptor].isExtra { extras -= 1 }
      greetings.remove(descriptor)
      // Its number may be another's when the reload is done.
      if !callers.isEmpty { callers.removeAll { $0.connection == descriptor } }
      let hasLastWord = sessions[descriptor].hasLastWord
      sessions.free(descriptor)
      if hasLastWord { letGo(descriptor) } else { hangUp(descriptor) }
      engine.counters.connectionsEnded &+= 1
    }
    ended.removeAll(keepingCapacity: true)
    engine.counters.unsentBytes = UInt64(budget.used)
  }

  /// Says one last thing to the session, behind what waits for it, and ends it when that was taken.
  mutating func dismiss(_ descriptor: Int32, _ reason: EndReason, _ message: String) {
    HubEvent.ended(reason, message: message).encode(into: &replies)
    sessions[descriptor].input.clear(budget: &budget)
    finish(descriptor)
    flushReplies(to: descriptor)
    endIfFinished(descriptor)
  }

  /// The hub has said its last word to the session, and reads nothing of it any more.
  mutating func finish(_ descriptor: Int32) {
    sessions[descriptor].state = .finishing
    sessions[descriptor].hasLastWord = true
  }

  /// A session that is finishing ends when everything for it has left.
  mutating func endIfFinished(_ descriptor: Int32) {
    guard sessions[descriptor].state == .finishing, sessions[descriptor].flow != .blocked,
      sessions[descriptor].held == 0
    else { return }
    end(descriptor)
  }

  /// Sessions make the hub keep more than it may: those that it keeps the most for are ended, until it is enough.
  mutating func relieveMemory() {
    while budget.isExceeded, let descriptor = sessions.heaviest {
      let session = sessions[descriptor]
      let peer = engine.peer(of: SessionID(raw: descriptor))
      let message =
        "it made the hub keep \(session.heldBytes) bytes (replies that it did not read, requests that it did not "
        + "finish) when all clients together may make it keep \(budget.limit)"
      log.write(
        .warning, .notReading, at: now.boot,
        "ended a client, process \(peer.pid) of user \(peer.uid): \(message)")
      let rest = session.output.restOfCutFrame
      if session.state == .open, rest <= EventLoop.worthFinishing {
        engine.hold(SessionID(raw: descriptor))
        sessions[descriptor].output.keepCutFrame(budget: &budget)
        dismiss(descriptor, .notReading, message)
      } else {
        end(descriptor)
      }
    }
  }

  // MARK: Stopping

  /// Ends every session in good order: what has arrived is answered, what was changed is told, and why the hub goes.
  mutating func stop() {
    isStopping = true
    closeLeaving()
    service.stopping()
    listeners.withdraw()
    let clients = sessions.count
    for descriptor in 0..<sessions.limit { markReady(descriptor) }
    serveReady()
    commitTurn()
    finishTurn()
    waitForDisk()
    abandonReload()
    for descriptor in 0..<sessions.limit where sessions[descriptor].state == .open {
      dismiss(descriptor, .shuttingDown, "the hub stops")
    }
    closeEnded()
    waitForStragglers()
    finishJournal()
    log.writeSuppressed()
    log.write(.info, .stopped, "stopped, with \(clients) clients")
  }

  /// Waits until every write that was carried out is on the disk, and acknowledged.
  private mutating func waitForDisk() {
    let deadline = now.boot + EventLoop.diskPatience
    while !syncQueue.isEmpty, now.boot < deadline {
      _ = poller.wait(milliseconds: 100)
      now = Clocks.now
      takeJournalReports()
    }
  }

  /// Gives those that have not taken everything some time for it. A second signal ends the wait.
  private mutating func waitForStragglers() {
    let deadline = now.boot + UInt64(options.stopMilliseconds) * 1_000_000
    stopSignal = nil
    while sessions.count > 0, now.boot < deadline, stopSignal == nil {
      let events = poller.wait(milliseconds: Int32(clamping: (deadline - now.boot) / 1_000_000 + 1))
      now = Clocks.now
      for index in 0..<events {
        let event = poller.event(index)
        if event.descriptor == signals.descriptor.raw {
          takeSignals()
        } else if event.isWritable, Int(event.descriptor) < sessions.capacity {
          resumeOutput(of: event.descriptor)
        }
      }
      closeEnded()
    }
    for descriptor in 0..<sessions.limit where sessions[descriptor].state != .free { end(descriptor) }
    closeEnded()
  }
}
