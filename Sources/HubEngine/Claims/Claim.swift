// One claim: a provider's ownership of stores, and its state.

import HubCore

/// The state of a claim. `Claim.move` alone assigns it; `restore` puts an image's back.
///
///     vacant -- provide --> syncing -- live --> live <--> suspended
///       ^                      |                 |            |
///       +----------------------+-- disconnected -+------------+
///
/// Only while it is live, writes are forwarded.
enum ClaimState: Hashable, Sendable {
  /// Its provider is not connected, or never was.
  case vacant
  /// The provider is connected, but has not reported `live` yet.
  case syncing
  case live
  /// The provider reports that its source is unreachable.
  case suspended(reason: String)
  /// It was live, and has not answered several writes in a row.
  case silent

  /// As the state's store has it.
  var word: String {
    switch self {
    case .vacant: "vacant"
    case .syncing: "syncing"
    case .live: "live"
    case .suspended, .silent: "suspended"
    }
  }

  var reason: String {
    switch self {
    case .vacant: "its provider is not connected"
    case .syncing: "its provider is not ready yet"
    case .live: ""
    case .suspended(let reason):
      reason.isEmpty ? "its provider reports that its source is unreachable" : reason
    case .silent: "its provider does not answer"
    }
  }
}

extension ClaimState {
  init(_ standing: ClaimStanding) {
    switch standing {
    case .live: self = .live
    case .syncing: self = .syncing
    case .suspended(let reason): self = .suspended(reason: reason)
    case .released, .vacant: self = .vacant
    }
  }
}

/// Invariant: a claim is vacant exactly if it has no session.
struct Claim {
  let number: UInt32
  var offer: ClaimOffer
  /// The provider's; nil: it has disconnected, or never connected.
  var session: SessionID?
  /// The user who owns it while it is vacant; nil: the user in the configuration.
  var owner: UInt32?
  fileprivate(set) var state = ClaimState.vacant
  /// When the values were live the last time, by the wall clock; nil: they are live, or never were.
  fileprivate(set) var staleSince: Int64?
  /// Patterns in use that can match one of its stores, by their least intervals, and how far the patterns were searched for them.
  var watchers = IntervalCounts()
  var searched: Int32 = 0
  /// Its state shows that it has watchers, and the shortest interval that they ask for, in milliseconds; 0: every change.
  var isWatched = false
  var interval: UInt32 = 0
  /// The configuration declares it: it stays when it is released.
  var isDeclared = false
  /// Writes that were not answered in time, in a row.
  var misses = 0
  /// Writes and reads, in the order of their requests. Bounded by `mostWaiting`, what comes beyond is refused, and by what was
  /// forwarded before.
  private(set) var waiting = Deque<Ticket>()
  /// Values whose time is up.
  private(set) var ends = Deque<Ticket>()
  /// Forwarded, and not decided, by number. Bounded by the offer's window and `mostForwardedBytes`.
  private var forwardedByNumber: [UInt64: Ticket] = [:]
  /// What they take: they are only ever changed with it.
  private var forwardedBytes = 0
  /// The numbers of forwarded tickets with outcomes, which `deal` answers.
  private(set) var decided: [UInt64] = []
  /// No later than the first deadline of its tickets; it may be earlier.
  var nextDeadline = UInt64.max

  static let mostWaiting = 1024
  static let mostForwardedBytes = 1 << 20
  /// This many consecutive writes without an answer suspend it.
  static let mostMisses = 3

  init(_ number: UInt32, _ offer: ClaimOffer) { (self.number, self.offer) = (number, offer) }

  var isLive: Bool { state == .live }

  /// Its watchers differ from those in its state.
  var hasNewWatchers: Bool { isWatched != (watchers.count > 0) || interval != watchers.least }

  // MARK: Tickets

  var waitingCount: Int { waiting.count + ends.count }
  var forwardedCount: Int { forwardedByNumber.count }
  /// In the order of their numbers.
  var forwarded: [Ticket] { forwardedByNumber.values.sorted { $0.number < $1.number } }

  /// Another write can be forwarded.
  var canForward: Bool {
    isLive && waitingCount > 0 && forwardedByNumber.count < Int(offer.window)
      && forwardedBytes < Claim.mostForwardedBytes
  }

  mutating func add(_ ticket: Ticket) {
    if ticket.isEnd { ends.append(ticket) } else { waiting.append(ticket) }
  }

  /// It was forwarded before, so it precedes those that were not.
  mutating func addAgain(_ ticket: Ticket) {
    if ticket.isEnd { ends.prepend(ticket) } else { waiting.prepend(ticket) }
  }

  /// Takes the next to forward: the oldest.
  mutating func takeNext() -> Ticket? {
    guard let end = ends.first else { return waiting.popFirst() }
    return waiting.first.map { $0.number < end.number } ?? false ? waiting.popFirst() : ends.popFirst()
  }

  /// Takes the waiting writes and reads of which `body` is true.
  mutating func takeWaiting(where body: (Ticket) -> Bool) -> [Ticket] {
    var (taken, rest): ([Ticket], Deque<Ticket>) = ([], Deque())
    for ticket in waiting.all {
      if body(ticket) { taken.append(ticket) } else { rest.append(ticket) }
    }
    if !taken.isEmpty { waiting = rest }
    return taken
  }

  /// Takes all values whose time is up.
  mutating func takeEnds() -> Deque<Ticket> {
    defer { ends = Deque() }
    return ends
  }

  /// Another provider decides on the waiting writes.
  mutating func inherit(from other: Claim) { (waiting, ends) = (other.waiting, other.ends) }

  mutating func forward(_ ticket: Ticket) {
    forwardedByNumber[ticket.number] = ticket
    forwardedBytes += ticket.memory
  }

  func forwarded(_ number: UInt64) -> Ticket? { forwardedByNumber[number] }

  mutating func takeForwarded(_ number: UInt64) -> Ticket? {
    guard let ticket = forwardedByNumber.removeValue(forKey: number) else { return nil }
    forwardedBytes -= ticket.memory
    return ticket
  }

  /// Takes those of which `body` is true, in the order of their numbers.
  mutating func takeForwarded(where body: (Ticket) -> Bool) -> [Ticket] {
    let taken = forwardedByNumber.values.filter(body).sorted { $0.number < $1.number }
    for ticket in taken { _ = takeForwarded(ticket.number) }
    return taken
  }

  /// The session is gone: no writer waits for the decisions on its writes.
  ///
  /// - Returns: the numbers of those writes.
  mutating func forgetSetter(_ session: SessionID) -> [UInt64] {
    let numbers = forwardedByNumber.values.lazy.filter { $0.session == session }.map(\.number).sorted()
    for number in numbers { forwardedByNumber[number]?.session = nil }
    return numbers
  }

  /// A read joins another one of the same store that its provider has not decided on yet.
  ///
  /// - Returns: false if there is none, or none that has room.
  mutating func join(_ reader: Ticket.Reader, reading store: StoreName) -> Bool {
    if let (number, _) = forwardedByNumber.first(where: { $1.takes(reader, reading: store) }) {
      forwardedByNumber[number]?.add(reader)
      forwardedBytes += reader.memory
      return true
    }
    return waiting.change { ticket in
      guard ticket.takes(reader, reading: store) else { return false }
      ticket.add(reader)
      return true
    }
  }

  /// How many wait for reads.
  var readerCount: Int {
    guard offer.answersReads else { return 0 }
    return waiting.all.reduce(forwardedByNumber.values.reduce(0) { $0 + $1.readers.count }) {
      $0 + $1.readers.count
    }
  }

  /// The session is gone, and waits for no read.
  ///
  /// - Returns: what its user was charged for them, and the numbers of forwarded reads that no client waits for any more.
  mutating func forgetReader(_ session: SessionID) -> (bytes: Int, numbers: [UInt64]) {
    guard offer.answersReads else { return (0, []) }
    var (bytes, numbers): (Int, [UInt64]) = (0, [])
    for number in forwardedByNumber.keys.sorted() {
      let left = forwardedByNumber[number]?.removeReaders { $0.session == session } ?? 0
      bytes += left
      forwardedBytes -= left
      if left > 0, forwardedByNumber[number]?.readers.isEmpty == true { numbers.append(number) }
    }
    _ = waiting.change { ticket in
      bytes += ticket.removeReaders { $0.session == session }
      return false
    }
    _ = takeWaiting { $0.isRead && $0.readers.isEmpty }
    return (bytes, numbers)
  }

  mutating func decide(_ number: UInt64, _ outcome: Ticket.Outcome) {
    forwardedByNumber[number]?.outcome = outcome
    decided.append(number)
  }

  /// Takes those that were decided, in the order of their numbers.
  mutating func takeDecided() -> [Ticket] {
    defer { decided = [] }
    return decided.sorted().compactMap { takeForwarded($0) }
  }

  /// What was accepted has taken effect, and may be lost.
  mutating func disavowOutcomes() {
    for number in decided {
      guard let ticket = forwardedByNumber[number], case .reply(let reply, _)? = ticket.outcome,
        reply.withByteView({ Reply.promisesStorage(FrameView(bytes: $0)) })
      else { continue }
      forwardedByNumber[number]?.outcome = .error(.unstored, to: ticket)
    }
  }

  /// Finds the first deadline again.
  mutating func findDeadline() {
    nextDeadline = .max
    for ticket in waiting.all { nextDeadline = min(nextDeadline, ticket.deadline) }
    for ticket in forwardedByNumber.values where ticket.outcome == nil {
      nextDeadline = min(nextDeadline, ticket.deadline)
    }
  }

  /// The only code that changes a claim's state.
  mutating func move(to next: ClaimState, at wall: Int64) {
    if state == .live, next != .live { staleSince = wall }
    if next == .live { staleSince = nil }
    state = next
  }

  /// From an image.
  mutating func restore(_ state: ClaimState, staleSince: Int64?) {
    (self.state, self.staleSince) = (state, staleSince)
  }

  /// - Parameter store: the store of the write.
  func error(_ store: String?) -> HubError {
    HubError(
      .unavailable, store: store,
      "\(state.reason) (\(offer.name)): nothing was done, try again when it is live")
  }
}
