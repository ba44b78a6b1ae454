// The next action of a waiter for a lock, from the hub's replies and events. It sends nothing, and reads no clock.

internal import HubCore

/// A waiter has a ticket, an ephemeral store below NAME.queue, whose number comes from a counter in the hub. It watches
/// the nearest ticket before its own, and only the first one watches the lock: a release wakes the first waiter, and
/// the end of its ticket the second.
///
/// The tickets define the order. The transaction of `LockClaim.take` decides who holds the lock, so that nothing that
/// happens to tickets can give it to two.
struct LockQueue: Sendable {
  enum Step: Sendable {
    /// Send it, and pass the answer on.
    case ask(Request)
    /// The same, and follow the holder's store from before the request.
    case take(Request)
    /// Follow these stores instead of the previous ones, and `look` when all of them are shown.
    case follow([NamePattern])
    /// `look` after the next event.
    case wait
    /// The same, or soon: this client may not be allowed to see the end of a holder.
    case pause
    /// The lock is not free: give up, or `join` the queue.
    case join
    /// Another client was faster, and the lock may still be free: `join` the queue, or `start` again.
    case retry
    case held(Fence, StoreID)
  }

  /// What the hub was asked for.
  private enum Question {
    case firstTicket
    /// The tickets of so many numbers before its own.
    case nearTickets(Int64)
    case number
    case counter
    case ticket(StoreName, Int64)
    case suspect
    /// The lock, which was free at that revision of the fence.
    case lock(Revision)
  }

  let lock: LockClaim
  /// Its own, unless the lock was free when it arrived.
  private(set) var ticket: (store: StoreName, number: Int64)?
  private var question = Question.firstTicket
  /// The ticket before its own, which is followed; nil: the lock is.
  private var before: String?
  private var view = WatchView()
  /// A followed store that does not look like a holder's or a waiter's: if it is permanent, no wait for its end succeeds.
  private var suspect: String?
  /// The fence's revision at the last attempt that failed.
  private var refused: Revision?

  /// How many numbers before its own a waiter searches first for the nearest ticket, and how much further each time.
  private static let reach: Int64 = 8

  init(_ lock: LockClaim) { self.lock = lock }

  /// Starts on a connection, without a ticket.
  mutating func start() throws(Failure) -> Step {
    ticket = nil
    return try askForFirst()
  }

  /// Takes the next number.
  mutating func join() -> Step { ask(.number, .write(.add(.name(lock.counter), .integer(1)))) }

  /// Takes the answer to the last request.
  ///
  /// - Parameter epoch: the hub's.
  /// - Throws: what a later attempt on this connection does not change.
  mutating func take(_ answer: Result<Reply, Failure>, epoch: Epoch?) throws(Failure) -> Step {
    switch (question, answer) {
    case (.firstTicket, .success(.listed(let stores, _))):
      guard let first = stores.first?.name else { return try follow(nil) }
      guard let ticket else { return .join }
      return first < ticket.store.text ? try search(LockQueue.reach, before: ticket.number) : try follow(nil)
    case (.nearTickets(let reach), .success(.listed(let stores, _))):
      guard let ticket else { throw .unexpectedReply }
      if let nearest = stores.last(where: { $0.name < ticket.store.text }) { return try follow(nearest.name) }
      return reach < ticket.number
        ? try search(reach * LockQueue.reach, before: ticket.number) : try askForFirst()
    case (.number, .success(.written(let result))):
      guard case .integer(let number)? = result.value else { throw .unexpectedReply }
      let store = try lock.ticket(number)
      return ask(.ticket(store, number), lock.wait(as: store))
    case (.number, .failure(let error)) where error.isHub(.noSuchStore):
      return ask(.counter, lock.createCounter)
    case (.counter, .success): return join()
    // Another waiter has created it; or it was removed and has started again, and the number belongs to another waiter.
    case (.counter, .failure(let error)) where error.isHub(.conflict): return join()
    case (.ticket, .failure(let error)) where error.isHub(.conflict): return join()
    case (.ticket(let store, let number), .success):
      ticket = (store, number)
      return try askForFirst()
    case (.suspect, .success(.described(let store))): return try judge(store)
    case (.suspect, .failure(let error)) where error.isHub(.noSuchStore):
      suspect = nil
      return try look()
    case (.lock, .success(.committed(let revision, let results))):
      guard let epoch, let store = results.first?.id else { throw .unexpectedReply }
      return .held(Fence(revision: revision, epoch: epoch), store)
    case (.lock(let revision), .failure(let error)) where error.isHub(.conflict):
      refused = revision
      return ticket == nil ? .retry : try askForFirst()
    case (_, .failure(let error)): throw error
    case (_, .success): throw .unexpectedReply
    }
  }

  // MARK: What is followed

  /// The stores to follow were accepted, and their events follow.
  mutating func open(epoch: Epoch) { _ = view.open(epoch: epoch, every: true) }

  /// Takes an event of the followed stores.
  ///
  /// - Returns: whether they are shown as they were at one revision of the hub.
  mutating func take(_ event: HubEvent) -> Bool {
    guard let news = view.apply(event) else { return false }
    if let value = news.value, news.name != lock.fence.text, !LockClaim.isHolder(value) {
      suspect = news.name
    }
    return news.isWhole || news.kind == .synced
  }

  /// Decides what the followed stores mean.
  mutating func look() throws(Failure) -> Step {
    if let before {
      guard view.state(of: before) != nil else { return try askForFirst() }
    } else if lock.isFree(in: view) {
      return try take(from: view.state(of: lock.fence.text)?.revision ?? 0)
    }
    if let suspect {
      return ask(.suspect, .describe(.name(try attempt { () throws(HubError) in try StoreName(suspect) })))
    }
    return before == nil && ticket == nil ? .join : .wait
  }

  private mutating func take(from revision: Revision) throws(Failure) -> Step {
    // It was free then as well. The store of some holder is not visible.
    if refused == revision {
      refused = nil
      return .pause
    }
    guard let epoch = view.epoch else { throw .unexpectedReply }
    question = .lock(revision)
    return .take(lock.take(epoch: epoch, from: revision))
  }

  private mutating func follow(_ ticket: String?) throws(Failure) -> Step {
    (before, suspect, view) = (ticket, nil, WatchView())
    guard let ticket else { return .follow(try lock.patterns) }
    return .follow([try attempt { () throws(HubError) in try NamePattern(ticket) }])
  }

  // MARK: Asking

  private mutating func ask(_ question: Question, _ request: Request) -> Step {
    self.question = question
    return .ask(request)
  }

  private mutating func askForFirst() throws(Failure) -> Step {
    ask(.firstTicket, .list(try lock.tickets, limit: 1))
  }

  private mutating func search(_ reach: Int64, before number: Int64) throws(Failure) -> Step {
    // The last search includes names that are not tickets, which come before all of them.
    let start = number - 1 - reach > 0 ? try lock.ticket(number - 1 - reach).text : ""
    return ask(.nearTickets(reach), .list(try lock.tickets, after: start, limit: UInt32(clamping: reach)))
  }

  /// - Throws: `schemaConflict` if the suspect is a store that no connection's end will remove.
  private mutating func judge(_ store: StoreDescription) throws(Failure) -> Step {
    guard store.owner == nil, store.ttl == nil else {
      suspect = nil
      return try look()
    }
    let reason =
      store.schema.initial == nil
      ? "is not a lock but a store with a persistent value, \(ValueText.cut(ValueText.line(store.state.value), 40)): remove it, or use another name for the lock"
      : "the store has an initial value, so it always exists: a lock needs its own name"
    throw .hub(HubError(.schemaConflict, store: store.name, reason))
  }
}
