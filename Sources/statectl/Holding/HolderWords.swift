// The command lines of hold, lock and elect: the operands, then the command after `--`.

internal import HubCore
internal import HubTransport

extension CommandLineWords {
  /// The command that is to run.
  ///
  /// - Parameter count: how many operands come before `--`.
  /// - Throws: `usage` if `--` is missing: only it separates statectl's options from the command's.
  func heldCommand(after count: Int) throws(Failure) -> [Argument] {
    guard firstLiteral == count else {
      throw .usage("put the command after --", hint: verb.map { "usage: " + Help.synopsis(of: $0) })
    }
    return Array(operands[count...])
  }

  /// How long the hub may take for an answer.
  func answerPatience() throws(Failure) -> Duration {
    try duration(.timeout) ?? HubConnection.defaultPatience
  }
}

/// `lock` and `elect`, which differ in what they do when the lock is lost.
struct LockCommand: FollowingCommand {
  private let verb: VerbSpec
  private let mode: Holder.Mode
  private let lock: LockClaim
  private let command: [Argument]
  private let wait: Duration?
  private let grace: Duration
  private let killAfter: Duration
  private let patience: Duration

  private static let killAfter = Duration.seconds(10)

  init(_ words: CommandLineWords, _ mode: Holder.Mode) throws(Failure) {
    verb = mode == .lock ? .lock : .elect
    self.mode = mode
    command = try words.heldCommand(after: 1)
    let most = words.has(.shared) ? Int.max : try words.integer(.holders, in: 1...Int.max)
    lock = try LockClaim(try words.storeName(), most: most, command: command[0])
    wait = try words.duration(.patience, orNone: true)
    grace = try words.duration(.grace, orNone: true) ?? .zero
    killAfter = try words.duration(.killAfter, orNone: true) ?? LockCommand.killAfter
    patience = try words.answerPatience()
  }

  func run(at place: SocketPath, within _: Patience, _ output: inout Output) throws(Failure) {
    let signals = try Holder.signals()
    let deadline = wait.map { Deadline.after($0) } ?? .never
    let holder = Holder(
      mode: mode, name: lock.name, command: command, grace: grace, killAfter: killAfter,
      socket: place.resolved)
    var isFirst = true
    while true {
      let waiter = LockWaiter(lock, at: place, for: verb, until: deadline, patience: patience)
      try holder.run(try waiter.acquire(signals, isFirst: isFirst), signals)
      isFirst = false
    }
  }
}
