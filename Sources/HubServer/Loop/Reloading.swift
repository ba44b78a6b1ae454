// Owns the way of a reload: who asked for it, and the installed program while it is tried. The loop takes the steps that it names.

import Glibc
import HubCore

/// Whatever comes out wrong, the hub goes on as it is, and says why.
struct Reloading: ~Copyable {
  /// ```
  /// idle --asked--> wanted --a program is started--> trying --it answers well--> handingOver --> (the next hub)
  ///   ^                |                              |  ^                            |
  ///   |                |                              |  +-- it is another by now ----+
  ///   +-- refused -----+------------------------------+------ refused ----------------+
  /// ```
  enum Phase {
    case idle
    case wanted
    /// A wish for a reload joins one that is on its way: program and configuration are looked at when the hub hands over.
    case trying(ProgramTrial, attempt: Int)
    case handingOver(attempt: Int)
  }

  /// What the loop has to do next.
  enum Step {
    case nothing
    /// A program was started: look at this time, or when a child has ended.
    case started(path: String, until: UInt64)
    /// It has not answered yet.
    case wait(until: UInt64)
    case refuse(ServerError)
    /// The program may take over, if the configuration is right.
    case handOver(ProgramFile)
  }

  /// Who may wait for the end of a reload at a time. Others are told to ask again.
  private static let mostCallers = 1024
  /// How often a program is tried that is another one by the time that it is to be executed.
  private static let mostAttempts = 3

  private var phase = Phase.idle
  /// A step may be due at the end of the turn.
  private(set) var isDue = false
  /// Who has no answer yet: at most `mostCallers`.
  private(set) var callers: [ServerImage.Caller]

  /// - Parameter callers: who asked the hub before.
  init(callers: [ServerImage.Caller]) { self.callers = callers }

  // MARK: Who asks

  /// A person asks, or a program by a signal.
  mutating func ask() {
    if case .idle = phase { move(to: .wanted) }
    isDue = true
  }

  /// A session asks, and gets its answer from the hub that comes of it.
  ///
  /// - Returns: why it is not noted.
  mutating func ask(_ caller: ServerImage.Caller) -> HubError? {
    if callers.count >= Reloading.mostCallers {
      return HubError(
        .reloadFailed, "\(callers.count) others wait for the reload: ask again when it is done")
    }
    callers.append(caller)
    ask()
    return nil
  }

  /// The session has gone: its number may be another's when the reload is done.
  mutating func forget(_ descriptor: Int32) {
    if !callers.isEmpty { callers.removeAll { $0.connection == descriptor } }
  }

  /// A trial may be over.
  mutating func childEnded() { isDue = true }

  /// A trial may have had its time.
  mutating func timerFired() { if case .trying = phase { isDue = true } }

  // MARK: Steps

  /// Takes the next step, between two turns.
  mutating func step(_ options: ServerOptions, now: UInt64) -> Step {
    isDue = false
    switch phase {
    case .trying(let trial, let attempt): return judge(trial, attempt, now)
    case .wanted:
      ProgramTrial.reap()
      return start(options, attempt: 1, now: now)
    case .idle, .handingOver:
      ProgramTrial.reap()
      return .nothing
    }
  }

  private mutating func start(_ options: ServerOptions, attempt: Int, now: UInt64) -> Step {
    do throws(ServerError) {
      let image = try TrialImage.write(options)
      let trial = try ProgramTrial(path: Program.current.path, image: image, now: now)
      move(to: .trying(trial, attempt: attempt))
      return .started(path: trial.file.path, until: trial.deadline)
    } catch {
      return .refuse(error)
    }
  }

  /// Looks whether the program that is tried has answered, or had its time.
  private mutating func judge(_ trial: ProgramTrial, _ attempt: Int, _ now: UInt64) -> Step {
    guard let outcome = trial.result(at: now) else { return .wait(until: trial.deadline) }
    move(to: .handingOver(attempt: attempt))
    if let objection = outcome.objection(path: trial.file.path, version: ImageFormat.version) {
      return .refuse(.program(objection))
    }
    return .handOver(trial.file)
  }

  /// The program could not take over.
  mutating func failed(
    _ problem: ExecutionProblem, _ program: ProgramFile, _ options: ServerOptions, now: UInt64
  )
    -> Step
  {
    guard case .handingOver(let attempt) = phase else { return .nothing }
    switch problem {
    case .isAnother where attempt < Reloading.mostAttempts:
      return start(options, attempt: attempt + 1, now: now)
    case .isAnother: return .refuse(.program("\(program.path) changes again and again while it is tried"))
    case .failed(let error): return .refuse(error)
    }
  }

  /// Nothing more comes of it, or all did. A program that is tried ends.
  ///
  /// - Returns: who has to be told.
  mutating func end() -> [ServerImage.Caller] {
    move(to: .idle)
    defer { callers = [] }
    return callers
  }

  /// The program that is tried is not waited for; who asked still has no answer.
  mutating func abandonTrial() { move(to: .idle) }

  /// The only place where the phase changes.
  private mutating func move(to next: Phase) { phase = next }
}
