// Owns the progress of a reload or an upgrade: its callers, and the installed program during its trial. The loop
// executes the steps.

import HubCore
import HubEngine
import HubSystem

/// Whatever goes wrong, the hub continues as it is, and reports why.
struct Reloading: ~Copyable {
  /// ```
  /// idle <--the settings are read and applied-- wanted
  /// idle --asked--> wanted --another program is started--> trying --it answers well--> draining --> handingOver --> (the next hub)
  ///   ^                |                              |  ^                        |              |
  ///   |                |                              |  +-- it is another by now-|--------------+
  ///   +-- refused -----+------------------------------+------ refused ------------+--------------+
  /// ```
  enum Phase {
    case idle
    case wanted
    /// A request for a reload joins one in progress: program and configuration are read when the hub hands over.
    case trying(ProgramTrial, attempt: Int)
    /// Earlier writes are synced while the hub serves, so that the hand-over has little to wait for.
    case draining(ProgramFile, attempt: Int, upTo: JournalPosition, since: UInt64)
    case handingOver(attempt: Int)
  }

  /// What the loop must do next.
  enum Step {
    case nothing
    /// A program was started: check at this time, or when a child has ended.
    case started(path: String, until: UInt64)
    /// It has not answered yet.
    case wait(until: UInt64)
    case refuse(ServerError)
    /// The disk is awaited: hasten it, and look again then, or when it has answered.
    case drain(until: UInt64)
    /// The configuration takes effect in this process, if it is valid.
    case apply
    /// The program may take over, if the configuration is valid.
    case handOver(ProgramFile)
  }

  /// The most callers that may wait for the end of a reload. Others must retry.
  private static let mostCallers = 1024
  /// How many attempts there are when the installed program changes between its trial and its execution.
  private static let mostAttempts = 3

  /// The path of the program to try; nil: it is not known.
  private let program: String?
  /// The file that runs; nil: it is not known.
  private let running: FileIdentity?
  private var phase = Phase.idle
  /// The program at the path takes over, even if it is the one that runs.
  private var wantsUpgrade = false
  /// A step may be needed at the end of the turn.
  private(set) var isDue = false
  /// Callers without an answer: at most `mostCallers`.
  private(set) var callers: [ServerImage.Caller]

  /// - Parameter callers: those of the previous hub.
  init(program: String?, running: FileIdentity?, callers: [ServerImage.Caller]) {
    self.program = program
    self.running = running
    self.callers = callers
  }

  // MARK: Callers

  /// A person asks, or a program with a signal.
  mutating func ask(upgrade: Bool = false) {
    if upgrade { wantsUpgrade = true }
    if case .idle = phase { move(to: .wanted) }
    isDue = true
  }

  /// A session asks; the hub that results answers it.
  ///
  /// - Returns: why the request is not accepted.
  mutating func ask(_ caller: ServerImage.Caller) -> HubError? {
    if callers.count >= Reloading.mostCallers {
      return HubError(
        .reloadFailed,
        "\(callers.count) other requests are already waiting for the reload: try again when it is done")
    }
    callers.append(caller)
    ask()
    return nil
  }

  /// The session is gone: its number may belong to another by the end of the reload.
  mutating func forget(_ descriptor: Int32) {
    if !callers.isEmpty { callers.removeAll { $0.connection == descriptor } }
  }

  /// A trial may be over.
  mutating func childEnded() { isDue = true }

  /// A trial's time may be up, or the disk's.
  mutating func timerFired() { if isTrying || isDraining { isDue = true } }

  /// The disk has confirmed something.
  mutating func diskAnswered() { if isDraining { isDue = true } }

  // MARK: Steps

  /// A child's end is the answer to a trial, which takes its status itself.
  var isTrying: Bool { if case .trying = phase { true } else { false } }

  private var isDraining: Bool { if case .draining = phase { true } else { false } }

  /// Takes the next step, between two turns.
  ///
  /// - Parameter disk: nil: the hub keeps nothing on a disk.
  mutating func step(_ options: ServerOptions, _ disk: DiskStanding? = nil, now: UInt64) -> Step {
    isDue = false
    switch phase {
    case .trying(let trial, let attempt): return judge(trial, attempt, options, disk, now)
    case .draining(let program, let attempt, let end, let since):
      return drain(program, attempt, upTo: end, since: since, options, disk, now)
    case .wanted: return wantsUpgrade || isReplaced ? start(attempt: 1, now: now) : .apply
    case .idle, .handingOver: return .nothing
    }
  }

  /// Whether another file than the one that runs is at the program's path. If none is found there, the trial reports why.
  private var isReplaced: Bool {
    guard let program else { return false }
    return running == nil || (try? ProgramFile(program))?.identity != running
  }

  private mutating func start(attempt: Int, now: UInt64) -> Step {
    do throws(ServerError) {
      let trial = try ProgramTrial(path: program, now: now)
      move(to: .trying(trial, attempt: attempt))
      return .started(path: trial.file.path, until: trial.deadline)
    } catch {
      return .refuse(error)
    }
  }

  /// Checks whether the tried program has answered, or its time is up.
  private mutating func judge(
    _ trial: ProgramTrial, _ attempt: Int, _ options: ServerOptions, _ disk: DiskStanding?, _ now: UInt64
  ) -> Step {
    guard let outcome = trial.result(at: now) else { return .wait(until: trial.deadline) }
    move(to: .handingOver(attempt: attempt))
    let files = disk == nil ? [] : JournalFileKind.allCases.map(\.formatName)
    if let objection = outcome.objection(path: trial.file.path, version: ImageFormat.version, files: files) {
      return .refuse(.program(objection))
    }
    guard let disk else { return .handOver(trial.file) }
    return drain(trial.file, attempt, upTo: disk.end, since: now, options, disk, now)
  }

  /// How long the disk may take for what was written, in nanoseconds.
  private static let diskPatience: UInt64 = 1_000_000_000

  /// Hands over when the disk has everything up to `end`, and answers: the hand-over waits for the disk, and nobody is
  /// served in the meantime.
  private mutating func drain(
    _ program: ProgramFile, _ attempt: Int, upTo end: JournalPosition, since: UInt64,
    _ options: ServerOptions,
    _ disk: DiskStanding?, _ now: UInt64
  ) -> Step {
    move(to: .handingOver(attempt: attempt))
    guard let disk, !disk.isDrained(upTo: end, since: since) else { return .handOver(program) }
    let deadline = min(since, disk.waitsSince ?? since) + Reloading.diskPatience
    if now >= deadline {
      return .refuse(
        .stateDirectory(
          path: options.stateDirectory ?? "",
          reason: "its disk has not answered for a second: try again later"))
    }
    move(to: .draining(program, attempt: attempt, upTo: end, since: since))
    return .drain(until: deadline)
  }

  /// The program could not take over.
  mutating func failed(
    _ problem: ExecutionProblem, _ program: ProgramFile, now: UInt64
  ) -> Step {
    guard case .handingOver(let attempt) = phase else { return .nothing }
    switch problem {
    case .isAnother where attempt < Reloading.mostAttempts:
      return start(attempt: attempt + 1, now: now)
    case .isAnother: return .refuse(.program("\(program.path) keeps changing while it is being tried"))
    case .failed(let error): return .refuse(error)
    }
  }

  /// The reload is over, either way. A program being tried is ended.
  ///
  /// - Returns: the callers to answer.
  mutating func end() -> [ServerImage.Caller] {
    move(to: .idle)
    wantsUpgrade = false
    defer { callers = [] }
    return callers
  }

  /// Stops waiting for the tried program; callers still have no answer.
  mutating func abandonTrial() { move(to: .idle) }

  /// The only code that changes the phase.
  private mutating func move(to next: Phase) { phase = next }
}

extension DiskStanding {
  /// Whether the disk has everything up to `end`, and was not asked for anything before `since` that it must still
  /// answer.
  func isDrained(upTo end: JournalPosition, since: UInt64) -> Bool {
    durable >= end && waitsSince.map { $0 >= since } ?? true
  }
}
