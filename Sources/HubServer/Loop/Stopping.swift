// The end of a hub: everybody is answered, and told why it goes.

import HubCore

extension EventLoop {
  /// How long a hub that stops waits for its disk, in nanoseconds.
  private static let diskPatience: UInt64 = 10_000_000_000

  /// Ends every session in good order: what has arrived is answered, what was changed is told, and why the hub goes.
  mutating func stop() {
    exchange.connections.hurry()
    service.stopping()
    listeners.withdraw()
    let clients = exchange.connections.count
    exchange.serveAll()
    waitForDisk()
    exchange.answer(exchange.reloading.end(), .error(HubError(.reloadFailed, "the hub stops")))
    exchange.dismissAll(.shuttingDown, "the hub stops")
    waitForStragglers()
    exchange.finishJournal()
    exchange.log.writeSuppressed()
    exchange.log.write(.info, .stopped, "stopped, with \(clients) clients")
  }

  /// Waits until every write that was carried out is on the disk, and acknowledged.
  private mutating func waitForDisk() {
    let deadline = exchange.now.boot + EventLoop.diskPatience
    while exchange.gate.awaitsDisk, exchange.now.boot < deadline {
      _ = exchange.connections.poller.wait(milliseconds: 100)
      exchange.now = Clocks.now
      exchange.takeJournalReports()
    }
  }

  /// Gives those that have not taken everything some time for it. A second signal ends the wait.
  private mutating func waitForStragglers() {
    let deadline = exchange.now.boot + UInt64(exchange.options.stopMilliseconds) * 1_000_000
    stopSignal = nil
    while exchange.connections.count > 0, exchange.now.boot < deadline, stopSignal == nil {
      let rest = (deadline - exchange.now.boot) / 1_000_000 + 1
      let events = exchange.connections.poller.wait(milliseconds: Int32(clamping: rest))
      exchange.now = Clocks.now
      for index in 0..<events {
        let event = exchange.connections.poller.event(index)
        if event.descriptor == signals.descriptor.raw {
          takeSignals()
        } else if event.isWritable, exchange.connections.contains(event.descriptor) {
          exchange.connections.resumeOutput(of: event.descriptor, &exchange.engine)
        }
      }
      exchange.closeEnded(in: exchange.engine.openTurn())
    }
    for descriptor in exchange.connections.sessions { exchange.connections.end(descriptor) }
    exchange.closeEnded(in: exchange.engine.openTurn())
  }
}
