// The steps of a reload, which applies the current configuration, and of an upgrade: the installed program is tried
// while the hub serves; the configuration is read; then the program is executed. Whatever goes wrong, the hub continues
// as it is, and reports why.

import HubCore
import HubEngine
import HubSystem

extension EventLoop {
  /// Takes the next step, between two turns.
  mutating func advanceReload() {
    if !exchange.reloading.isTrying { Subprocess.reapAll() }
    follow(exchange.reloading.step(exchange.options, exchange.journal?.standing, now: exchange.now.boot))
  }

  private mutating func follow(_ step: Reloading.Step) {
    switch step {
    case .nothing: break
    case .started(let path, let deadline):
      timer.arm(for: deadline)
      exchange.log.write(.debug, "upgrade: trying \(path)")
    case .wait(let deadline): timer.arm(for: deadline)
    case .drain(let deadline):
      exchange.journal?.hasten()
      timer.arm(for: deadline)
    case .refuse(let problem): refuse(problem)
    case .apply:
      do throws(ServerError) { apply(try validSettings()) } catch { refuse(error) }
    case .handOver(let program):
      do throws(ServerError) {
        _ = try validSettings()
        execute(tried: program)
      } catch {
        refuse(error)
      }
    }
  }

  /// Applies other settings. Connections are not interrupted, unless the settings concern them.
  private mutating func apply(_ settings: ServerOptions) {
    service.reloading(monotonicMicroseconds: SystemClock.monotonic / 1000)
    var options = settings.ofThisProcess
    var notes = options.notes + options.keepWhatMustStay(of: exchange.options)
    if options.maxClients != exchange.options.maxClients,
      let problem = DescriptorLimit.raised().problem(for: options.maxClients)
    {
      notes.append(problem)
    }
    options.engine.journals = options.stateDirectory != nil
    if let note = Confinement.note(about: options, isServing: true) { notes.append(note) }
    notes += exchange.apply(options) + listen(options)
    for note in notes { exchange.log.write(.warning, note) }
    exchange.log.write(.info, "reloaded: the configuration is in effect")
    service.complain(about: .configuration, nil)
    timer.arm(for: service.ready(at: exchange.now.boot, exchange.facts))
    exchange.answer(
      exchange.reloading.end(), .reloaded(release: exchange.options.engine.release, notes: notes))
  }

  /// Listens at the configured paths.
  ///
  /// - Returns: what is wrong with some sockets.
  private mutating func listen(_ options: ServerOptions) -> [String] {
    let change = listeners.change(to: options)
    for descriptor in change.removed { acceptor.forget(descriptor) }
    for descriptor in change.unserved { exchange.connections.poller.remove(descriptor) }
    let problems = change.problems + watch(change.added)
    checkSockets()
    return problems
  }

  /// Executes the tried program, with the current configuration.
  private mutating func execute(tried program: ProgramFile) {
    exchange.log.write(.debug, "upgrade: handing over to \(program.path)")
    service.reloading(monotonicMicroseconds: SystemClock.monotonic / 1000)
    exchange.settle()
    let problem = execute(program)
    do throws(ServerError) {
      try exchange.journal?.start()
    } catch {
      // The hub continues without syncing until it ends, as if the thread had failed to start.
      exchange.log.write(.error, error.description)
    }
    timer.arm(for: service.ready(at: exchange.now.boot, exchange.facts))
    follow(exchange.reloading.failed(problem, program, now: exchange.now.boot))
  }

  private mutating func refuse(_ problem: ServerError) {
    let code: HubError.Code = problem.isConfiguration ? .invalidConfiguration : .reloadFailed
    let rest =
      problem.isConfiguration
      ? "the previous configuration stays in effect" : "version \(exchange.options.engine.release) continues"
    service.complain(about: .configuration, "not reloaded: \(problem)")
    // Callers read the status next.
    timer.arm(for: service.beat(at: exchange.now.boot, exchange.facts))
    exchange.log.write(.error, .reloadRefused, "not reloaded, \(rest): \(problem)")
    exchange.answer(exchange.reloading.end(), .error(HubError(code, "\(problem)")))
  }

  /// Reads the settings.
  private func validSettings() throws(ServerError) -> ServerOptions {
    let wanted = try settings()
    do throws(HubError) {
      _ = try exchange.engine.validated(
        wanted.declarations.map { ($0.name, $0.schema) }, within: wanted.engine)
    } catch {
      throw .declaration(error)
    }
    return wanted
  }
}
