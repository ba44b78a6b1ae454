// The steps of a reload: the installed program is tried while the hub serves; the configuration is read; then the program
// is executed. Whatever goes wrong, the hub continues as it is, and reports why.

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
      exchange.log.write(.debug, "reload: trying \(path)")
    case .wait(let deadline): timer.arm(for: deadline)
    case .drain(let deadline):
      exchange.journal?.hasten()
      timer.arm(for: deadline)
    case .refuse(let problem): refuse(problem)
    case .handOver(let program):
      if let problem = configurationProblem() { return refuse(problem) }
      goOn(as: program)
    }
  }

  /// Executes the tried program, with the present configuration.
  private mutating func goOn(as program: ProgramFile) {
    exchange.log.write(.debug, "reload: handing over to \(program.path)")
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
    follow(exchange.reloading.failed(problem, program, exchange.options, now: exchange.now.boot))
  }

  private mutating func refuse(_ problem: ServerError) {
    let code: HubError.Code = problem.isConfiguration ? .invalidConfiguration : .reloadFailed
    let rest =
      problem.isConfiguration
      ? "the configuration in force stays" : "version \(exchange.options.engine.release) continues"
    service.complain(about: .configuration, "not reloaded: \(problem)")
    // Callers look at the status next.
    timer.arm(for: service.beat(at: exchange.now.boot, exchange.facts))
    exchange.log.write(.error, .reloadRefused, "not reloaded, \(rest): \(problem)")
    exchange.answer(exchange.reloading.end(), .error(HubError(code, "\(problem)")))
  }

  private func configurationProblem() -> ServerError? {
    do throws(ServerError) {
      let wanted = try settings()
      do throws(HubError) {
        _ = try exchange.engine.validated(
          wanted.declarations.map { ($0.name, $0.schema) }, within: wanted.engine)
      } catch {
        return .declaration(error)
      }
      return nil
    } catch {
      return error
    }
  }
}
