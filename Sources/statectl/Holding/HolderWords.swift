// The command lines of hold, lock and elect: the operands, then the command after `--`.

internal import HubCore
internal import HubTransport

extension CommandLineWords {
  /// The command to run.
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

extension Holder {
  /// `lock` and `elect`, which differ in what they do when the lock is lost.
  static func lock(_ words: CommandLineWords, _ mode: Mode) throws(Failure) -> FollowingCommand {
    let command = try words.heldCommand(after: 1)
    let most = words.has(.shared) ? Int.max : try words.integer(.holders, in: 1...Int.max)
    let lock = try LockClaim(try words.storeName(), most: most, command: command[0])
    let wait = try words.duration(.patience, orNone: true)
    let grace = try words.duration(.grace, orNone: true) ?? .zero
    let killAfter = try words.duration(.killAfter, orNone: true) ?? .seconds(10)
    let patience = try words.answerPatience()
    return { place, _, _ throws(Failure) in
      let signals = try Holder.signals()
      let deadline = wait.map { Deadline.after($0) } ?? .never
      let holder = Holder(
        mode: mode, name: lock.name, command: command, grace: grace, killAfter: killAfter,
        socket: place.resolved)
      var isFirst = true
      while true {
        let waiter = LockWaiter(
          lock, at: place, for: mode == .lock ? .lock : .elect, until: deadline, patience: patience)
        try holder.run(try waiter.acquire(signals, isFirst: isFirst), signals)
        isFirst = false
      }
    }
  }
}
