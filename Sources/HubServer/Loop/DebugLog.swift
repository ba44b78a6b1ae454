// The log at level `debug`: every connection, every refused request, and the steps of rare events. Other levels never get
// here.

import HubCore
import HubEngine
import HubSystem

extension Exchange {
  /// Who is at the other end of a connection.
  private func title(of descriptor: Int32) -> String {
    let session = SessionID(raw: descriptor)
    let peer = engine.peer(of: session)
    let name = engine.name(of: session)
    let title = name.isEmpty ? "" : " (\(name.debugDescription))"
    let origin = engine.origin(of: session).label.map { " (\($0))" } ?? ""
    return "connection \(descriptor)\(title), \(Exchange.name(of: peer))\(origin)"
  }

  func logOpened(_ descriptor: Int32) {
    let note = connections[descriptor].isExtra ? ", beyond maxClients" : ""
    log.write(.debug, "\(title(of: descriptor)): opened\(note)")
  }

  func closing(of descriptor: Int32) -> String {
    let requests = engine.requestCount(of: SessionID(raw: descriptor))
    let reason = connections[descriptor].life == .ended(isTold: true) ? "ended by the hub" : "closed"
    return "\(title(of: descriptor)): \(reason) after \(quantity(requests, "request"))"
  }

  /// Looks through the replies of a step for those worth a line.
  func logReplies(to descriptor: Int32) {
    var frames = FrameCursor(replies.view)
    while let frame = frames.next() {
      switch ReplyKind(rawValue: frame.rawKind) {
      case .error:
        guard case .error(let error)? = try? Reply(decoding: frame) else { continue }
        log.write(
          .debug, "\(title(of: descriptor)): request \(frame.request) is refused, \(error.code): \(error)")
      case .welcome: log.write(.debug, "\(title(of: descriptor)): sent hello")
      case .reloaded: log.write(.debug, "\(title(of: descriptor)): is notified of the reload")
      default: continue
      }
    }
  }

  func logSignals(_ batch: SignalBatch) {
    if let stop = batch.stop {
      log.write(.debug, "signal: \(stop == .interrupt ? "SIGINT" : "SIGTERM"), the hub stops")
    }
    if batch.wantsReload { log.write(.debug, "signal: SIGHUP, a reload") }
    if batch.wantsUpgrade { log.write(.debug, "signal: SIGUSR2, an upgrade") }
  }

  mutating func logSnapshots(of journal: Journal) {
    let isSnapshotting = if case .idle = journal.compaction { false } else { true }
    if isSnapshotting != self.isSnapshotting {
      log.write(.debug, isSnapshotting ? "snapshot: begun" : "snapshot: over")
    }
    self.isSnapshotting = isSnapshotting
  }

  func logImage(_ file: borrowing Descriptor, _ server: ServerImage) {
    guard let status = try? FileStatus(of: file.raw) else { return }
    log.write(
      .debug,
      "hand-off: an image of \(status.size) bytes, with \(quantity(engine.storeCount, "store")) and "
        + quantity(server.connections.count, "connection"))
  }
}
