// Hands over to the next hub: by executing the installed program, or through the service manager. It happens between two
// turns, when nothing belongs to a turn.

import HubCore
import HubEngine
import HubSystem

extension EventLoop {
  /// - Parameter way: by execution, lock and poller survive.
  private func image(for way: Inheritance.Way) -> ServerImage {
    var image = ServerImage()
    image.release = exchange.options.engine.release
    image.settings = exchange.options
    exchange.connections.describe(in: &image, exchange.engine)
    image.sockets = listeners.images(keepsLock: way == .execution)
    image.poller = way == .execution ? exchange.connections.poller.raw : -1
    image.journal = exchange.journal?.image
    image.callers = exchange.reloading.callers.filter {
      exchange.connections[$0.connection].life != .free
    }
    return image
  }

  private func imageFile(for way: Inheritance.Way) throws(ServerError) -> Descriptor {
    let server = image(for: way)
    let file = try ImageFile.write { image in
      server.write(to: &image)
      exchange.engine.write(to: &image)
    }
    if exchange.log.isDebugging { exchange.logImage(file, server) }
    return file
  }

  // MARK: By execution

  /// - Returns: why it failed; then everything is as before.
  mutating func execute(_ program: ProgramFile) -> ExecutionProblem {
    do throws(ServerError) {
      let file = try imageFile(for: .execution)
      file.setSurvivesExecution(true)
      listeners.setSurvivesExecution(true)
      exchange.journal?.setSurvivesExecution(true)
      ServiceEnvironment.export(listeners.passed)
      Environment[Inheritance.variable] = "\(CurrentProcess.pid):\(file.raw)"
      exchange.log.prepareExecution()
      signals.prepareExecution()
      let problem = Program.current.execute(program)
      signals.abandonExecution()
      exchange.log.abandonExecution()
      Environment[Inheritance.variable] = nil
      ServiceEnvironment.export([])
      listeners.setSurvivesExecution(false)
      exchange.journal?.setSurvivesExecution(false)
      return problem
    } catch {
      return .failed(error)
    }
  }

  // MARK: Through the service manager

  /// Whether a later signal stops the hub permanently.
  private mutating func isInterrupted() -> Bool {
    takeSignals()
    return stopSignal == .interrupt
  }

  /// How long the service manager may take to store what it was given, in milliseconds.
  private static let storePatience: Int32 = 10_000

  /// Leaves everything with the service manager. Afterwards this hub must end without touching a connection.
  ///
  /// - Returns: false if it failed, or is no longer wanted; then everything is as before.
  mutating func handOver() -> Bool {
    exchange.finishTurns()
    // If no hub takes over, this is a stop.
    _ = exchange.journal?.end(&exchange.engine, now: exchange.now)
    exchange.settle()
    let connections = exchange.connections.sessions
    do throws(ServerError) {
      let file = try imageFile(for: .store)
      let ends = try DescriptorQueue.fill(
        with: [file.raw] + listeners.ownDescriptors + (exchange.journal?.image.descriptors ?? [])
          + connections)
      defer { ends.forEach { Descriptor.close($0) } }
      let isStored =
        service.notifier.send(
          [.storeDescriptors(name: DescriptorQueue.name)], descriptors: ends, within: EventLoop.storePatience)
        == nil
        && service.notifier.synchronize(milliseconds: EventLoop.storePatience)
      if isStored, !isInterrupted() {
        exchange.log.write(
          .info, .handedOver,
          "handed over \(quantity(exchange.engine.storeCount, "store")) and \(quantity(connections.count, "client"))"
        )
        return true
      }
      service.notifier.send([.removeDescriptors(name: DescriptorQueue.name)])
      if !isStored {
        exchange.log.write(
          .warning, .handoffFailed,
          "the service manager keeps nothing for the next hub: clients must reconnect")
      }
    } catch {
      exchange.log.write(
        .warning, .handoffFailed, "nothing is handed over, clients must reconnect: \(error)")
    }
    do throws(ServerError) {
      try exchange.journal?.start()
    } catch {
      exchange.log.write(.error, error.description)
    }
    return false
  }
}
