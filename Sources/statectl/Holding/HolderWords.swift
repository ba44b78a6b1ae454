// The command lines of hold, lock and elect: the operands, then the command behind `--`.

internal import HubCore
internal import HubTransport

extension CommandLineWords {
  /// The command that is to run.
  ///
  /// - Parameter count: how many operands come before `--`.
  /// - Throws: `usage` if `--` is missing: only it says where options end that are not the command's.
  func heldCommand(after count: Int) throws(Failure) -> [Argument] {
    guard firstLiteral == count else {
      throw .usage("the command follows --", hint: verb.map { "usage: " + Help.synopsis(of: $0) })
    }
    return Array(operands[count...])
  }

  /// How long the hub may take for an answer.
  func answerPatience() throws(Failure) -> Duration {
    try duration(.timeout) ?? HubConnection.defaultPatience
  }
}

/// `lock` and `elect`, which differ in what they do when the command's time is over.
struct LockCommand: FollowingCommand {
  private let verb: VerbSpec
  private let manner: Holder.Manner
  private let claim: LockClaim
  private let command: [Argument]
  private let wait: Duration?
  private let grace: Duration
  private let killAfter: Duration
  private let patience: Duration

  private static let killAfter = Duration.seconds(10)

  init(_ words: CommandLineWords, _ manner: Holder.Manner) throws(Failure) {
    verb = manner == .lock ? .lock : .elect
    self.manner = manner
    command = try words.heldCommand(after: 1)
    claim = try LockClaim(try words.storeName(), command: command[0])
    wait = try words.duration(.patience, orNone: true)
    grace = try words.duration(.grace, orNone: true) ?? .zero
    killAfter = try words.duration(.killAfter, orNone: true) ?? LockCommand.killAfter
    patience = try words.answerPatience()
  }

  func run(at place: SocketPath, within _: Patience, _ output: inout Output) throws(Failure) {
    let deadline = wait.map { Deadline.after($0) } ?? .never
    let link = try ClaimLink(.lock(claim), at: place, for: verb, patience: patience)
    let holder = Holder(
      manner: manner, name: claim.name, command: command, deadline: deadline, grace: grace,
      killAfter: killAfter, socket: place.resolved)
    try holder.run(link)
  }
}
