// Taking over from the hub before, and handing over to the next: by executing the program anew, or through the service manager.
// Both happen between two turns, when nothing belongs to a turn any more.

import CLinux
import Glibc
import HubCore

extension EventLoop {
  // MARK: Taking over

  /// Puts the connections of the hub before into the slots. Comes first of all.
  mutating func adopt(_ image: ServerImage) throws(ServerError) {
    for connection in image.connections {
      sessions.open(connection.descriptor, Session(state: .open))
      connection.input.withByteView { sessions[connection.descriptor].input.append($0, budget: &budget) }
      connection.output.withByteView {
        sessions[connection.descriptor].output.append($0, cut: connection.cut, budget: &budget)
      }
      sessions[connection.descriptor].state = connection.state
      sessions[connection.descriptor].flow = connection.flow
      sessions[connection.descriptor].readsOn = connection.sendsNoMore
      sessions[connection.descriptor].hasLastWord = connection.state == .finishing
      sessions[connection.descriptor].isExtra = connection.isExtra
      if connection.isExtra { extras += 1 }
      sessions[connection.descriptor].isArmed = connection.isArmed
      if image.poller == nil {
        guard poller.add(connection.descriptor) else { throw .system(call: "epoll_ctl", code: errno) }
        if connection.isArmed { poller.setWriting(true, for: connection.descriptor) }
      }
    }
    // A hub that knew no limit for hello begins to count now.
    let wait = now.boot + UInt64(options.helloMilliseconds) * 1_000_000
    var greeting: [(descriptor: Int32, deadline: UInt64)] = []
    for connection in image.connections where engine.isGreeting(SessionID(raw: connection.descriptor)) {
      greeting.append((connection.descriptor, connection.helloDeadline > 0 ? connection.helloDeadline : wait))
    }
    for entry in greeting.sorted(by: { $0.deadline < $1.deadline }) {
      awaitHello(of: entry.descriptor, until: entry.deadline)
    }
    for descriptor in image.ready { markReady(descriptor) }
    yielding = image.yielding
    // An event that has been taken from the poller comes no second time.
    for listener in listeners.descriptors { acceptor.markReady(listener) }
  }

  /// Tells those who asked for the reload that it is done.
  mutating func answer(_ callers: [ServerImage.Caller], _ reply: Reply) {
    for caller in callers where sessions[caller.connection].state != .free {
      reply.encode(into: &replies, request: caller.request)
      flushReplies(to: caller.connection)
    }
  }

  // MARK: Handing over

  /// Between two turns, with no session that has ended and is not closed.
  mutating func settle() {
    finishTurns()
    if let journal {
      // Whoever waits for the disk gets his answer from this hub.
      journal.quiesce(&engine, now: now)
      takeJournalReports()
      finishTurns()
    }
    closeLeaving()
    noteFigures()
    log.writeSuppressed()
  }

  private mutating func finishTurns() {
    while !ended.isEmpty || !engine.isBetweenTurns {
      commitTurn()
      finishTurn()
    }
  }

  /// - Parameter way: by execution, lock and poller live on.
  private func image(for way: Inheritance.Way) -> ServerImage {
    var image = ServerImage()
    image.release = options.engine.release
    image.settings = options
    for descriptor in 0..<sessions.limit where sessions[descriptor].state != .free {
      let session = sessions[descriptor]
      image.connections.append(
        ServerImage.Connection(
          descriptor: descriptor, peer: engine.peer(of: SessionID(raw: descriptor)), state: session.state,
          flow: session.flow,
          isReady: session.isReady, isArmed: session.isArmed, sendsNoMore: session.readsOn,
          isExtra: session.isExtra, helloDeadline: greetings.deadline(of: descriptor),
          input: session.input.view.array, output: session.output.view.array,
          cut: session.output.restOfCutFrame))
    }
    image.ready = ready.filter { sessions[$0].isReady }
    image.yielding = yielding.filter { sessions[$0].state != .free }
    image.place = listeners.image(keepsLock: way == .execution)
    image.poller = way == .execution ? poller.raw : nil
    image.journal = journal?.image
    image.callers = callers.filter { sessions[$0.connection].state != .free }
    return image
  }

  func imageFile(for way: Inheritance.Way) throws(ServerError) -> Descriptor {
    let server = image(for: way)
    let file = try ImageFile.write { image in
      server.write(to: &image)
      engine.write(to: &image)
    }
    if isDebugging { logImage(file, server) }
    return file
  }

  // MARK: Through the service manager

  /// Somebody wants the hub to end for good, who came later than the one who wanted it to end.
  private mutating func isInterrupted() -> Bool {
    takeSignals()
    return stopSignal == SIGINT
  }

  /// How long the service manager may take to put away what it was given, in milliseconds.
  private static let storePatience: Int32 = 10_000

  /// Leaves everything with the service manager. Afterwards this hub must end without touching a connection.
  ///
  /// - Returns: false if it did not work, or is not wanted any more; everything is as before then.
  mutating func handOver() -> Bool {
    finishTurns()
    // Should nobody take over, this was a stop.
    _ = journal?.end(&engine, now: now)
    settle()
    let connections = (0..<sessions.limit).filter { sessions[$0].state != .free }
    do throws(ServerError) {
      let file = try imageFile(for: .store)
      let own = listeners.passed.isEmpty ? listeners.descriptors : []
      let ends = try DescriptorQueue.fill(
        with: [file.raw] + own + (journal?.image.descriptors ?? []) + connections)
      defer { ends.forEach { close($0) } }
      let isStored =
        service.notifier.send([.storeDescriptors(name: DescriptorQueue.name)], descriptors: ends)
        && service.notifier.synchronize(milliseconds: EventLoop.storePatience)
      if isStored, !isInterrupted() {
        log.write(
          .info, .handedOver, "handed over \(engine.storeCount) stores and \(connections.count) clients")
        return true
      }
      service.notifier.send([.removeDescriptors(name: DescriptorQueue.name)])
      if !isStored {
        log.write(
          .warning, .handoffFailed,
          "the service manager keeps nothing for the next hub: clients have to connect again")
      }
    } catch {
      log.write(.warning, .handoffFailed, "nothing is handed over, clients have to connect again: \(error)")
    }
    do throws(ServerError) { try journal?.start() } catch { log.write(.error, error.description) }
    return false
  }
}
