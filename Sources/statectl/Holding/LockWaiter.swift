// Waits for a lock: sends what `LockQueue` asks for, and handles time, signals and lost connections. It does not run the
// command.

internal import HubCore
internal import HubSystem
internal import HubTransport

struct LockWaiter: ~Copyable {
  private var queue: LockQueue
  /// When to give up.
  private let deadline: Deadline
  /// How long the hub may take for an answer.
  private let patience: Duration
  private var link: Link
  private var hasAnswered = false
  /// The watch that is open.
  private var watch: UInt32?

  private static let blindPause = Duration.milliseconds(100)

  init(
    _ lock: LockClaim, at place: SocketPath, for verb: VerbSpec, until deadline: Deadline, patience: Duration
  ) {
    queue = LockQueue(lock)
    self.deadline = deadline
    self.patience = patience
    link = Link(to: place, for: verb)
  }

  /// Waits until the lock is held.
  ///
  /// - Parameter isFirst: a hub that is away is an error.
  /// - Throws: `timeout` at the deadline; `status` after a signal; errors that a retry cannot fix.
  consuming func acquire(
    _ signals: borrowing SignalDescriptor, isFirst: Bool
  ) throws(Failure) -> ClaimLink {
    let lock = queue.lock
    while true {
      do throws(Failure) {
        try open()
        let (fence, store) = try acquire(signals)
        return ClaimLink(.lock(lock), fence, store, by: link, patience: patience)
      } catch {
        guard case .hub(let problem) = error, hasAnswered || !isFirst, deadline > .now else { throw error }
        // A limit on a user's stores, not on connections: waiting does not help.
        if problem.code == .quota, link.welcome != nil { throw error }
        try link.lose(problem)
      }
      while link.nextAttempt > .now {
        if deadline <= .now { throw timeout("the hub is away") }
        try signals.pause(-1, until: min(deadline, link.nextAttempt))
      }
    }
  }

  /// A reply may take as long as the wait, but at least a second: `--wait 0` needs one as well.
  private var answerDeadline: Deadline { min(.after(patience), max(deadline, .after(.seconds(1)))) }

  private func timeout(_ state: String) -> Failure {
    .hub(HubError(.timeout, store: queue.lock.name.text, "timed out: \(state)"))
  }

  private func checkDeadline() throws(Failure) {
    if deadline <= .now { throw timeout("another process has the lock") }
  }

  private mutating func open() throws(Failure) {
    watch = nil
    do throws(HubError) { try link.open(until: answerDeadline) } catch { throw .hub(error) }
  }

  /// - Returns: the holder's number, and its store's, which is watched.
  private mutating func acquire(_ signals: borrowing SignalDescriptor) throws(Failure) -> (Fence, StoreID) {
    var step = try queue.start()
    while true {
      switch step {
      case .ask(let request): step = try advance(by: request, signals)
      case .take(let request):
        enqueueWatch([NamePattern(queue.lock.holder)])
        step = try advance(by: request, signals)
      case .follow(let patterns):
        try follow(patterns, signals)
        step = try queue.look()
      case .wait:
        try wait(signals, until: .never)
        step = try queue.look()
      case .pause:
        try wait(signals, until: .after(LockWaiter.blindPause))
        step = try queue.look()
      case .join:
        try checkDeadline()
        step = queue.join()
      case .retry: step = deadline > .now ? queue.join() : try queue.start()
      case .held(let fence, let store):
        try leaveQueue()
        return (fence, store)
      }
    }
  }

  /// It is the next one's turn. A removed ticket makes no difference.
  private mutating func leaveQueue() throws(Failure) {
    guard let ticket = queue.ticket else { return }
    _ = enqueue(.write(.remove(.name(ticket.store))))
    let deadline = answerDeadline
    do throws(HubError) { try link.connection?.flush(deadline: deadline) } catch { throw .hub(error) }
  }

  // MARK: The connection

  /// - Throws: `status` after a signal, also while the hub does not answer.
  private mutating func advance(
    by request: Request, _ signals: borrowing SignalDescriptor
  ) throws(Failure) -> LockQueue.Step {
    let result: Result<Reply, Failure>
    do throws(Failure) {
      result = .success(try answer(to: enqueue(request), signals))
      if link.nextAttempt != .never || !hasAnswered { link.succeed() }
      hasAnswered = true
    } catch {
      result = .failure(error)
    }
    return try queue.take(result, epoch: link.welcome?.epoch)
  }

  private mutating func answer(
    to id: UInt32, _ signals: borrowing SignalDescriptor
  ) throws(Failure) -> Reply {
    let deadline = answerDeadline
    do throws(HubError) { try link.connection?.flush(deadline: deadline) } catch { throw .hub(error) }
    while true {
      do throws(HubError) {
        guard let reply = try link.connection?.receive(id, deadline: .now) else { throw .unexpectedReply }
        return reply
      } catch {
        guard error.code == .timeout, deadline > .now else { throw .hub(error) }
      }
      try signals.pause(link.descriptor, until: deadline)
    }
  }

  /// Follows these stores instead of the previous ones.
  @discardableResult
  private mutating func enqueueWatch(_ patterns: [NamePattern]) -> UInt32 {
    if let watch { _ = enqueue(.unwatch(watch)) }
    let id = enqueue(.watch(patterns, policy: .every))
    watch = id
    return id
  }

  private mutating func enqueue(_ request: Request) -> UInt32 { link.connection?.enqueue(request) ?? 0 }

  /// The same, and waits until all of them are shown.
  private mutating func follow(
    _ patterns: [NamePattern], _ signals: borrowing SignalDescriptor
  ) throws(Failure) {
    let id = enqueueWatch(patterns)
    guard case .watching(let start) = try answer(to: id, signals), let epoch = link.welcome?.epoch else {
      throw .unexpectedReply
    }
    // Earlier events concern the previous stores: an earlier `synced` does not end this snapshot.
    link.connection?.dropKeptEvents()
    queue.open(epoch: epoch)
    let deadline = answerDeadline
    while true {
      while let event = try event() {
        _ = queue.take(event)
        if case .synced(let revision) = event, revision >= start { return }
      }
      if deadline <= .now { throw .hub(HubError(.timeout, "the hub did not answer in time")) }
      try signals.pause(link.descriptor, until: deadline)
    }
  }

  private mutating func event() throws(Failure) -> HubEvent? {
    do throws(HubError) { return try link.event() } catch { throw .hub(error) }
  }

  /// Waits until the followed stores are shown as they were at a later revision, or until the end.
  private mutating func wait(_ signals: borrowing SignalDescriptor, until end: Deadline) throws(Failure) {
    while true {
      while let event = try event() {
        if queue.take(event) { return }
      }
      try checkDeadline()
      if end <= .now { return }
      try signals.pause(link.descriptor, until: min(deadline, end))
    }
  }
}

extension SignalDescriptor {
  /// Waits until the hub has sent something, or until the deadline.
  ///
  /// - Throws: `status` after a signal.
  fileprivate func pause(_ hub: Int32, until deadline: Deadline) throws(Failure) {
    _ = Waiting.poll(hub: hub, child: -1, signals: raw, until: deadline)
    try check()
  }
}
