// Runs a command while something is held: waits for the hub, the command and signals at once. What is held knows ClaimLink.

internal import HubCore
internal import HubSystem
internal import HubTransport

struct Holder {
  enum Manner: Sendable {
    /// A value: it is set again and again, and the command knows nothing of it.
    case value
    /// The command ends with the lock.
    case lock
    /// The same, and it runs again with the next one.
    case leadership
  }

  fileprivate enum Phase {
    case waiting
    case running(HeldCommand)
    /// The connection is lost. It may come back in time.
    case adrift(HeldCommand, until: Deadline)
    /// What was held is lost, and the command was told.
    case ending(HeldCommand, killAt: Deadline)
  }

  let manner: Manner
  let name: StoreName
  let command: [Argument]
  /// When to give up waiting.
  let deadline: Deadline
  let grace: Duration
  let killAfter: Duration
  /// The hub's path, for the command's own statectl.
  let socket: String

  private static let signals: [Signal] = [.hangUp, .interrupt, .quit, .terminate, .user1, .user2]

  /// - Throws: the command's status; `lost`; what keeps the claim from working; `timeout` at the deadline.
  func run(_ link: consuming ClaimLink) throws(Failure) {
    var link = link
    let signals = try SystemError.attempt(try SignalDescriptor(unlessIgnored: Holder.signals)) {
      Failure.system("cannot await signals", $0)
    }
    var phase = Phase.waiting
    var isStopped = false
    while true {
      link.advance()
      while let (signal, isFromKernel) = signals.received() {
        isStopped = isStopped || signal != .user1 && signal != .user2
        try pass(signal, isFromKernel, phase)
      }
      phase = try next(phase, &link)
      var due = link.due
      switch phase {
      case .waiting: due = link.isAsking ? due : min(due, deadline)
      case .running: break
      case .adrift(_, let end), .ending(_, let end): due = min(due, end)
      }
      let isOver = Waiting.poll(
        hub: link.descriptor, child: phase.descriptor, signals: signals.raw, until: due)
      guard isOver else { continue }
      // What the hub has said before the command ended counts, in whatever order this process sees the two.
      link.advance()
      phase = try next(phase, &link)
      if try end(phase, &link, isStopped: isStopped) { phase = .waiting }
    }
  }

  /// What a terminal sends, it has sent to the command, too.
  private func pass(_ signal: Signal, _ isFromKernel: Bool, _ phase: Phase) throws(Failure) {
    guard let command = phase.command else { throw .status(128 + signal.number) }
    if !isFromKernel { command.send(signal) }
  }

  private func next(_ phase: Phase, _ link: inout ClaimLink) throws(Failure) -> Phase {
    switch (phase, link.standing) {
    case (.waiting, .held(let fence)): return .running(try start(fence, link))
    case (.waiting, .failed(let failure)): throw failure
    case (.waiting, _):
      guard deadline > .now || link.isAsking else { throw timeout(link.standing) }
      return .waiting
    case (.running(let command), .held), (.adrift(let command, _), .held):
      command.keep(link)
      return .running(command)
    case (.running(let command), .failed(let failure)), (.adrift(let command, _), .failed(let failure)):
      if manner != .value { return lose(command, failure.message ?? "the hub refuses it", &link) }
      failure.complain()
      link.release()
      return .running(command)
    case (.running(let command), .refused) where manner == .value:
      complain("\(name.text): another program has set it meanwhile, and its value stays")
      link.release()
      return .running(command)
    case (.running(let command), .refused):
      return lose(command, "another has it now, or has removed it", &link)
    case (.adrift(let command, _), .refused):
      return lose(command, "another has had it meanwhile, or the hub has kept nothing", &link)
    case (.running(let command), _):
      guard manner != .value else { return .running(command) }
      return try next(.adrift(command, until: .after(grace)), &link)
    case (.adrift(let command, let end), _):
      guard end <= .now else { return phase }
      return lose(command, "the connection was lost", &link)
    case (.ending(let command, let killAt), _):
      guard killAt <= .now else { return phase }
      command.send(.kill)
      return .ending(command, killAt: .never)
    }
  }

  private func start(_ fence: Fence, _ link: borrowing ClaimLink) throws(Failure) -> HeldCommand {
    var variables = [(name: "STATEHUB_SOCKET", value: socket)]
    if manner != .value {
      variables += [
        ("STATEHUB_LOCK", name.text), ("STATEHUB_FENCE", "\(fence.revision)"),
        ("STATEHUB_EPOCH", "\(fence.epoch)"),
      ]
    }
    return try HeldCommand(command, holding: link, variables: variables)
  }

  private func lose(_ command: HeldCommand, _ reason: String, _ link: inout ClaimLink) -> Phase {
    complain("\(name.text): the \(manner == .lock ? "lock" : "leadership") was lost: \(reason)")
    command.send(.terminate)
    let killAt = Deadline.after(killAfter)
    link.release()
    return .ending(command, killAt: killAt)
  }

  /// The command has ended.
  ///
  /// - Returns: whether it is to be held again.
  private func end(
    _ phase: Phase, _ link: inout ClaimLink, isStopped: Bool
  ) throws(Failure) -> Bool {
    guard let status = try phase.command?.status() else { return false }
    if case .ending = phase {
      if manner == .lock { throw .status(ExitStatus.lost) }
      if !isStopped {
        link.beginAgain()
        return true
      }
    }
    link.release()
    throw .status(status)
  }

  private func timeout(_ standing: ClaimLink.Standing) -> Failure {
    let state = if case .refused = standing { "another has the lock" } else { "the hub is away" }
    return .hub(HubError(.timeout, store: name.text, "the time is over, and \(state)"))
  }
}

extension Holder.Phase {
  var command: HeldCommand? {
    switch self {
    case .waiting: nil
    case .running(let command), .adrift(let command, _), .ending(let command, _): command
    }
  }

  /// What to poll for reading; -1 while nothing runs.
  var descriptor: Int32 { command?.descriptor ?? -1 }
}
