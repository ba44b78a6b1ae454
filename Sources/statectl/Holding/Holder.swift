// Runs a command while something is held: waits for the hub, the command and signals at once. `ClaimLink` has what is
// held.

internal import HubCore
internal import HubSystem
internal import HubTransport

struct Holder {
  enum Mode: Sendable {
    /// A value: it is set again after each reconnect, unnoticed by the command.
    case value
    /// The command ends with the lock.
    case lock
    /// The same, and it runs again with the next one.
    case leadership
  }

  fileprivate enum Phase {
    case running(Child)
    /// The connection is lost, and may be restored in time.
    case disconnected(Child, until: Deadline)
    /// What was held is lost, and the command was signalled.
    case ending(Child, killAt: Deadline)
  }

  let mode: Mode
  let name: StoreName
  let command: [Argument]
  let grace: Duration
  let killAfter: Duration
  /// The hub's path, for the command's own statectl, which may run in another directory.
  let socket: String

  /// The signals that a waiting or running statectl handles.
  static func signals() throws(Failure) -> SignalDescriptor { try .ending(.user1, .user2) }

  /// Runs the command once.
  ///
  /// - Returns: when the leadership is lost and statectl was not asked to exit.
  /// - Throws: the command's status; `lost`; errors that prevent the claim.
  func run(_ link: consuming ClaimLink, _ signals: borrowing SignalDescriptor) throws(Failure) {
    var link = link
    var isStopped = false
    var generation = link.generation
    var phase = Phase.running(try start(link))
    while true {
      link.advance()
      if case .held = link.status, link.generation != generation {
        generation = link.generation
        phase.command.keep(link.descriptor)
      }
      while let (signal, isFromKernel) = signals.received() {
        isStopped = isStopped || signal != .user1 && signal != .user2
        // A terminal sends its signals to the command as well.
        if !isFromKernel { phase.command.send(signal) }
      }
      phase = next(phase, &link)
      var due = link.due
      switch phase {
      case .running: break
      case .disconnected(_, let end), .ending(_, let end): due = min(due, end)
      }
      let isOver = Waiting.poll(
        hub: link.descriptor, child: phase.command.descriptor, signals: signals.raw, until: due)
      guard isOver else { continue }
      // Events that the hub sent before the command ended count, in whatever order this process sees the two.
      link.advance()
      phase = next(phase, &link)
      let status = try phase.command.status()
      link.release()
      if case .ending = phase {
        if mode == .lock { throw .status(ExitStatus.lost) }
        if !isStopped { return }
      }
      throw .status(status)
    }
  }

  private func next(_ phase: Phase, _ link: inout ClaimLink) -> Phase {
    switch (phase, link.status) {
    case (.running(let command), .held), (.disconnected(let command, _), .held):
      return .running(command)
    case (.running(let command), .failed(let failure)), (.disconnected(let command, _), .failed(let failure)):
      if mode != .value { return lose(command, failure.message ?? "the hub refused it", &link) }
      failure.complain()
      link.release()
      return .running(command)
    case (.running(let command), .lost) where mode == .value:
      complain("\(name.text): another program has set it, and that value is kept")
      link.release()
      return .running(command)
    case (.running(let command), .lost):
      return lose(command, "another process has it now, or removed it", &link)
    case (.disconnected(let command, _), .lost):
      return lose(command, "another process had it in the meantime, or the hub kept nothing", &link)
    case (.running(let command), _):
      guard mode != .value else { return .running(command) }
      return next(.disconnected(command, until: .after(grace)), &link)
    case (.disconnected(let command, let end), _):
      guard end <= .now else { return phase }
      return lose(command, "the connection was lost", &link)
    case (.ending(let command, let killAt), _):
      guard killAt <= .now else { return phase }
      command.send(.kill)
      return .ending(command, killAt: .never)
    }
  }

  /// - Throws: `status`, as a shell has it, if the command cannot be started.
  private func start(_ link: borrowing ClaimLink) throws(Failure) -> Child {
    let directory = socket.hasPrefix("/") ? nil : CurrentProcess.workingDirectory
    var variables: [ExecEnvironment.Variable] = [
      ("STATEHUB_SOCKET", Array((directory.map { "\($0)/\(socket)" } ?? socket).utf8))
    ]
    if mode != .value, case .held(let fence) = link.status {
      variables += [
        ("STATEHUB_LOCK", Array(name.text.utf8)), ("STATEHUB_FENCE", Array("\(fence.revision)".utf8)),
        ("STATEHUB_EPOCH", Array("\(fence.epoch)".utf8)),
      ]
    }
    let spawn = Spawn(command.map(\.bytes), environment: ExecEnvironment.lines(variables))
    do throws(Failure) {
      return try Child(spawn, title: command[0], keeping: link.descriptor)
    } catch {
      guard case .system(_, let problem) = error else { throw error }
      error.complain()
      throw .status(problem == .noSuchFile ? ExitStatus.notFound : ExitStatus.notExecutable)
    }
  }

  private func lose(_ command: Child, _ reason: String, _ link: inout ClaimLink) -> Phase {
    complain("\(name.text): the \(mode == .lock ? "lock" : "leadership") was lost: \(reason)")
    command.send(.terminate)
    let killAt = Deadline.after(killAfter)
    link.release()
    return .ending(command, killAt: killAt)
  }
}

extension Holder.Phase {
  var command: Child {
    switch self {
    case .running(let command), .disconnected(let command, _), .ending(let command, _): command
    }
  }
}
