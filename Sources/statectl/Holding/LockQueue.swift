// Waits for a lock: for the ticket before its own, and at the head of the queue for the lock itself. It does not run
// the command.

internal import HubCore
internal import HubSystem
internal import HubTransport

/// A waiter has a ticket, an ephemeral store below NAME.queue, whose number comes from a counter in the hub. It watches
/// the ticket before its own, and only the first one watches the lock: the end of a holder wakes one waiter.
///
/// The tickets define the order. The transaction of `LockClaim.take` decides who holds the lock.
struct LockQueue: ~Copyable {
  private let lock: LockClaim
  /// When to give up.
  private let deadline: Deadline
  /// How long the hub may take for an answer.
  private let patience: Duration
  private var link: Link
  private var hasAnswered = false
  private var ticket: (store: StoreName, number: Int64)?
  /// What is followed now, and the watch that shows it.
  private var view = WatchView()
  private var watch: UInt32?

  /// How many numbers before its own a waiter searches for the nearest ticket.
  private static let reach: Int64 = 64
  private static let blindPause = Duration.milliseconds(100)

  init(
    _ lock: LockClaim, at place: SocketPath, for verb: VerbSpec, until deadline: Deadline, patience: Duration
  ) {
    self.lock = lock
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
    while true {
      do throws(Failure) {
        try open()
        let (fence, store) = try acquire(signals)
        return ClaimLink(.lock(lock), fence, store, by: link, patience: patience)
      } catch {
        guard case .hub(let problem) = error, hasAnswered || !isFirst, deadline > .now else { throw error }
        // Of a user's stores, and not of connections: waiting does not help.
        if problem.code == .quota, link.welcome != nil { throw error }
        try link.lose(problem)
      }
      while link.nextAttempt > .now {
        if deadline <= .now { throw lock.timeout("the hub is away") }
        try signals.pause(-1, until: min(deadline, link.nextAttempt))
      }
    }
  }

  /// An answer may take as long as the wait, but a second in any case: `--wait 0` needs one, too.
  private var answerDeadline: Deadline { min(.after(patience), max(deadline, .after(.seconds(1)))) }

  private mutating func open() throws(Failure) {
    (ticket, watch) = (nil, nil)
    do throws(HubError) { try link.open(until: answerDeadline) } catch { throw .hub(error) }
  }

  /// - Returns: the holder's number, and its store's, which is watched.
  private mutating func acquire(_ signals: borrowing SignalDescriptor) throws(Failure) -> (Fence, StoreID) {
    var refused: Revision?
    while true {
      try waitForTurn(signals)
      try follow(lock.patterns, signals)
      while !lock.isFree(in: view) {
        try refusePlainStore(signals)
        guard ticket != nil else { break }
        try waitForChange(signals)
      }
      if lock.isFree(in: view) {
        let revision = view.state(of: lock.fence.text)?.revision ?? 0
        // A client without the right to read a holder's store cannot wait for its end.
        if refused == revision { try pause(signals, until: .after(LockQueue.blindPause)) }
        if let held = try take(from: revision, signals) { return held }
        refused = revision
      }
      if ticket == nil { try draw(signals) }
    }
  }

  /// Waits until there is no ticket before its own. Without its own ticket, it does not overtake others.
  private mutating func waitForTurn(_ signals: borrowing SignalDescriptor) throws(Failure) {
    while let before = try predecessor(signals) {
      guard ticket != nil else {
        try draw(signals)
        continue
      }
      try follow([try attempt { () throws(HubError) in try NamePattern(before) }], signals)
      while view.state(of: before) != nil { try waitForChange(signals) }
    }
  }

  /// The nearest ticket before its own. If there is none near it is the first of all: those after a gap wait for it together.
  private mutating func predecessor(_ signals: borrowing SignalDescriptor) throws(Failure) -> String? {
    guard let first = try tickets(after: "", limit: 1, signals).first?.name else { return nil }
    guard let (own, number) = ticket else { return first }
    guard first < own.text else { return nil }
    let start = try lock.ticket(max(0, number - 1 - LockQueue.reach))
    let near = try tickets(after: start.text, limit: UInt32(LockQueue.reach), signals)
    return near.last { $0.name < own.text }?.name ?? first
  }

  private mutating func tickets(
    after name: String, limit: UInt32, _ signals: borrowing SignalDescriptor
  ) throws(Failure) -> [StoreSummary] {
    let question = Request.list(try lock.tickets, after: name, limit: limit)
    guard case .listed(let stores, _) = try ask(question, signals) else { throw .unexpectedReply }
    return stores
  }

  /// Takes the next ticket.
  private mutating func draw(_ signals: borrowing SignalDescriptor) throws(Failure) {
    guard deadline > .now else { throw lock.timeout("another process has the lock") }
    let schema = Schema(type: .integer, initial: .integer(0), durability: .volatile)
    var hasCounter = true
    while ticket == nil {
      do throws(Failure) {
        if !hasCounter { _ = try ask(.write(.create(lock.counter, schema, ifAbsent: true)), signals) }
        guard case .written(let result) = try ask(.write(.add(.name(lock.counter), .integer(1))), signals),
          case .integer(let number)? = result.value
        else { throw .unexpectedReply }
        let store = try lock.ticket(number)
        let condition = WriteCondition(absent: true)
        let lifetime = Lifetime(ephemeral: true)
        let write = WriteOperation.set(.name(store), lock.title, condition: condition, lifetime: lifetime)
        _ = try ask(.write(write), signals)
        ticket = (store, number)
      } catch {
        hasCounter = !error.isHub(.noSuchStore)
        // Another waiter created the counter, or it was removed and restarts.
        guard !hasCounter || error.isHub(.conflict) else { throw error }
      }
    }
  }

  /// - Returns: nil if another was faster.
  private mutating func take(
    from revision: Revision, _ signals: borrowing SignalDescriptor
  ) throws(Failure) -> (Fence, StoreID)? {
    guard let epoch = link.welcome?.epoch else { throw .unexpectedReply }
    // Before the transaction, so that nothing is missed that happens after it.
    enqueueWatch([NamePattern(lock.holder)])
    do throws(Failure) {
      guard
        case .committed(let revision, let results) = try ask(lock.take(epoch: epoch, from: revision), signals),
        let store = results.first?.id
      else { throw .unexpectedReply }
      // The next one's turn. A removed ticket makes no difference.
      if let ticket { _ = enqueue(.write(.remove(.name(ticket.store)))) }
      do throws(HubError) { try link.connection?.flush(deadline: answerDeadline) } catch {
        throw .hub(error)
      }
      return (Fence(revision: revision, epoch: epoch), store)
    } catch {
      guard error.isHub(.conflict) else { throw error }
      return nil
    }
  }

  /// - Throws: `schemaConflict` if the lock's name is that of a store which no holder's end will remove.
  private mutating func refusePlainStore(_ signals: borrowing SignalDescriptor) throws(Failure) {
    guard let state = view.state(of: lock.name.text), !LockClaim.isHolder(state.value) else { return }
    do throws(Failure) {
      guard case .described(let store) = try ask(.describe(.name(lock.name)), signals) else {
        throw .unexpectedReply
      }
      guard store.owner == nil, store.ttl == nil else { return }
      let reason =
        store.schema.initial == nil
        ? "is not a lock but a store with a persistent value, \(ValueText.cut(ValueText.line(store.state.value), 40)): remove it, or use another name for the lock"
        : "the store has an initial value, so it always exists: a lock needs a name of its own"
      throw .hub(HubError(.schemaConflict, store: store.name, reason))
    } catch {
      guard error.isHub(.noSuchStore) else { throw error }
    }
  }

  // MARK: The connection

  /// - Throws: `status` after a signal, also while the hub does not answer.
  private mutating func ask(
    _ request: Request, _ signals: borrowing SignalDescriptor
  ) throws(Failure) -> Reply {
    let deadline = answerDeadline
    let reply = try answer(to: enqueue(request), until: deadline, signals)
    if link.nextAttempt != .never || !hasAnswered { link.succeed() }
    hasAnswered = true
    return reply
  }

  private mutating func answer(
    to id: UInt32, until deadline: Deadline, _ signals: borrowing SignalDescriptor
  ) throws(Failure) -> Reply {
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

  /// The same, and waits until the view shows them.
  private mutating func follow(
    _ patterns: [NamePattern], _ signals: borrowing SignalDescriptor
  ) throws(Failure) {
    let id = enqueueWatch(patterns)
    let deadline = answerDeadline
    guard case .watching(let start) = try answer(to: id, until: deadline, signals),
      let epoch = link.welcome?.epoch
    else { throw .unexpectedReply }
    view = WatchView()
    _ = view.open(epoch: epoch, every: true)
    while true {
      do throws(HubError) {
        while let event = try link.event() {
          _ = view.apply(event)
          if case .synced(let revision) = event, revision >= start { return }
        }
      } catch {
        throw .hub(error)
      }
      if deadline <= .now { throw .hub(HubError(.timeout, "the hub did not answer in time")) }
      try signals.pause(link.descriptor, until: deadline)
    }
  }

  /// Waits until the view is another state of the hub's.
  private mutating func waitForChange(_ signals: borrowing SignalDescriptor) throws(Failure) {
    while true {
      do throws(HubError) {
        while let event = try link.event() {
          if let news = view.apply(event), news.isWhole || news.kind == .synced { return }
        }
      } catch {
        throw .hub(error)
      }
      try pause(signals, until: .never)
    }
  }

  /// Waits until the hub has sent something.
  private func pause(_ signals: borrowing SignalDescriptor, until end: Deadline) throws(Failure) {
    if deadline <= .now { throw lock.timeout("another process has the lock") }
    try signals.pause(link.descriptor, until: min(deadline, end))
  }
}

extension LockClaim {
  fileprivate func timeout(_ state: String) -> Failure {
    .hub(HubError(.timeout, store: name.text, "timed out: \(state)"))
  }
}

extension SignalDescriptor {
  /// Waits until the hub has sent something, or until the deadline.
  ///
  /// - Throws: `status` after a signal.
  fileprivate func pause(_ hub: Int32, until deadline: Deadline) throws(Failure) {
    _ = Waiting.poll(hub: hub, child: -1, signals: raw, until: deadline)
    if let signal = next() { throw .status(128 + signal.number) }
  }
}
