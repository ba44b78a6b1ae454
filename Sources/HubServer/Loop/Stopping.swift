// The end of a hub: every session gets its replies, and the reason.

import HubCore
import HubEngine
import HubSystem

extension EventLoop {
  /// How long a stopping hub waits for its disk, in nanoseconds.
  private static let diskPatience: UInt64 = 10_000_000_000

  /// Ends every session cleanly: answers requests that have arrived, sends changes, and reports why the hub stops.
  mutating func stop() {
    exchange.connections.hurry()
    service.stopping()
    listeners.withdraw()
    let clients = exchange.connections.count
    // A watcher's unread frames must fit, and so must the changes made now.
    for descriptor in exchange.connections.sessions {
      exchange.connections.enlargeBuffer(of: descriptor, &exchange.engine)
      exchange.connections.resumeOutput(of: descriptor, &exchange.engine)
    }
    exchange.serveAll()
    waitForDisk()
    exchange.answer(exchange.reloading.end(), .error(HubError(.reloadFailed, "the hub stops")))
    exchange.dismissAll(.shuttingDown, "the hub stops")
    waitForStragglers()
    exchange.finishJournal()
    exchange.log.writeSuppressed()
    exchange.log.write(.info, .stopped, "stopped, with \(quantity(clients, "client"))")
  }

  /// Serves until the disk has what was written so far: a hand-over waits for the disk, and serves nobody in the
  /// meantime. A disk that takes longer than a stopping hub waits keeps the hand-over waiting. Another signal ends it.
  mutating func drain() {
    guard let journal = exchange.journal else { return }
    let since = exchange.now.boot
    let end = journal.standing.end
    let stop = stopSignal
    stopSignal = nil
    journal.hasten()
    while stopSignal == nil, exchange.now.boot < since + EventLoop.diskPatience,
      !journal.standing.isDrained(upTo: end, since: since)
    {
      timer.arm(for: since + EventLoop.diskPatience)
      turn()
    }
    stopSignal = stopSignal ?? stop
  }

  /// Waits until every completed write is on the disk, and acknowledged.
  private mutating func waitForDisk() {
    let deadline = exchange.now.boot + EventLoop.diskPatience
    if exchange.gate.awaitsDisk { exchange.journal?.hasten() }
    while exchange.gate.awaitsDisk, exchange.now.boot < deadline {
      exchange.connections.poller.wait(&events, milliseconds: 100)
      exchange.now = Clocks.now
      exchange.takeJournalReports()
    }
  }

  /// Gives sessions that have not taken everything some time to do so. A second signal ends the wait.
  private mutating func waitForStragglers() {
    let deadline = exchange.now.boot + UInt64(exchange.options.stopMilliseconds) * 1_000_000
    stopSignal = nil
    for descriptor in exchange.connections.sessions {
      _ = exchange.connections.sendWaiting(to: descriptor, &exchange.engine)
    }
    while exchange.connections.count > 0, exchange.now.boot < deadline, stopSignal == nil {
      let rest = (deadline - exchange.now.boot) / 1_000_000 + 1
      exchange.connections.poller.wait(&events, milliseconds: Int32(clamping: rest))
      exchange.now = Clocks.now
      for index in 0..<events.count {
        let event = events[index]
        if event.descriptor == signals.raw {
          takeSignals()
        } else if event.isWritable, exchange.connections.contains(event.descriptor) {
          exchange.connections.resumeOutput(of: event.descriptor, &exchange.engine)
        }
      }
      exchange.closeEnded(in: exchange.engine.openTurn())
    }
    for descriptor in exchange.connections.sessions { exchange.connections.end(descriptor) }
    exchange.finishTurns()
  }
}
