// Reload, step by step: the installed program is tried while the hub serves; the configuration is read; then the program is
// executed. Whatever is wrong, the hub goes on as it is, and says why.

import CLinux
import Glibc
import HubCore

extension EventLoop {
  /// Who may wait for the end of a reload at a time. Others are told to ask again.
  private static let mostCallers = 1024
  /// How often a program is tried that is another one by the time that it is to be executed.
  private static let mostTrials = 3

  /// A session asks for a reload, and gets its answer from the hub that comes of it.
  mutating func noteCaller(_ descriptor: Int32, request: UInt32) {
    if callers.count >= EventLoop.mostCallers {
      let error = HubError(
        .reloadFailed, "\(callers.count) others wait for the reload: ask again when it is done")
      return Reply.error(error).encode(into: &replies, request: request)
    }
    callers.append(ServerImage.Caller(connection: descriptor, request: request))
    isReloadWanted = true
    isReloadDue = true
  }

  /// Takes the next step, between two turns. A wish for a reload joins one that is on its way: program and configuration are
  /// looked at when the hub hands over.
  mutating func advanceReload() {
    isReloadDue = false
    let isWanted = isReloadWanted
    isReloadWanted = false
    if trial != nil {
      judgeTrial()
    } else {
      ProgramTrial.reap()
      trials = 0
      if isWanted { tryProgram() }
    }
    if let program = triedProgram { reload(into: program) }
  }

  private mutating func tryProgram() {
    trials += 1
    do throws(ServerError) {
      let image = try TrialImage.write(options)
      let trial = try ProgramTrial(path: Program.current.path, image: image, now: now.boot)
      self.trial = trial
      timer.arm(for: trial.deadline)
      log.write(.debug, "reload: trying \(trial.file.path)")
    } catch {
      refuseReload(error)
    }
  }

  /// Looks whether the program that is tried has answered, or had its time.
  private mutating func judgeTrial() {
    guard let trial else { return }
    guard let outcome = trial.result(at: now.boot) else { return timer.arm(for: trial.deadline) }
    self.trial = nil
    if let objection = outcome.objection(path: trial.file.path, version: ImageFormat.version) {
      return refuseReload(.program(objection))
    }
    if let problem = configurationProblem() { return refuseReload(problem) }
    triedProgram = trial.file
  }

  /// Goes on as the program that was tried, with the configuration as it is now.
  private mutating func reload(into program: ProgramFile) {
    triedProgram = nil
    log.write(.debug, "reload: handing over to \(program.path)")
    service.reloading(monotonicMicroseconds: Clocks.monotonicMicroseconds)
    settle()
    let problem = execute(program)
    do throws(ServerError) {
      try journal?.start()
    } catch {
      // It goes on without a sync until it ends, as without a thread from the start.
      log.write(.error, error.description)
    }
    timer.arm(for: service.ready(at: now.boot, facts))
    switch problem {
    case .isAnother where trials < EventLoop.mostTrials: tryProgram()
    case .isAnother: refuseReload(.program("\(program.path) changes again and again while it is tried"))
    case .failed(let error): refuseReload(error)
    }
  }

  private mutating func refuseReload(_ problem: ServerError) {
    let code: HubError.Code = problem.isConfiguration ? .invalidConfiguration : .reloadFailed
    let rest =
      problem.isConfiguration
      ? "the configuration in force stays so" : "version \(options.engine.release) goes on"
    service.complain("not reloaded: \(problem)")
    // Who asked looks at the status next.
    timer.arm(for: service.beat(at: now.boot, facts))
    log.write(.error, .reloadRefused, "not reloaded, \(rest): \(problem)")
    answer(callers, .error(HubError(code, "\(problem)")))
    callers = []
  }

  /// The hub stops: nothing comes of the reload.
  mutating func abandonReload() {
    trial = nil
    answer(callers, .error(HubError(.reloadFailed, "the hub stops")))
    callers = []
  }

  private func configurationProblem() -> ServerError? {
    do throws(ServerError) {
      let wanted = try settings()
      do throws(HubError) {
        _ = try engine.validated(wanted.declarations.map { ($0.name, $0.schema) }, within: wanted.engine)
      } catch {
        return .declaration(error)
      }
      return nil
    } catch {
      return error
    }
  }

  /// - Returns: why it did not work; everything is as before then.
  private mutating func execute(_ program: ProgramFile) -> ExecutionProblem {
    do throws(ServerError) {
      let file = try imageFile(for: .execution)
      file.setSurvivesExecution(true)
      listeners.setSurvivesExecution(true)
      journal?.setSurvivesExecution(true)
      ServiceEnvironment.export(listeners.passed)
      setenv(Inheritance.variable, "\(getpid()):\(file.raw)", 1)
      signals.prepareExecution()
      let problem = Program.current.execute(program)
      signals.abandonExecution()
      unsetenv(Inheritance.variable)
      ServiceEnvironment.export([])
      listeners.setSurvivesExecution(false)
      journal?.setSurvivesExecution(false)
      return problem
    } catch {
      return .failed(error)
    }
  }
}
