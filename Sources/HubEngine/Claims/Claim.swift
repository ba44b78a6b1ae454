// One claim: a provider's statement that it stands behind stores, and how things are with it.

import HubCore

/// How things are with a claim. `Claim.move` alone assigns it; `restore` puts an image's back.
///
///     vacant -- provide --> syncing -- live --> live <--> suspended
///       ^                      |                 |            |
///       +----------------------+-- disconnected -+------------+
///
/// Only while it is live, writes are forwarded.
enum ClaimState: Hashable, Sendable {
  /// Nobody is there: its provider has gone, or has never come.
  case vacant
  /// The provider is there, and has not said `live` yet.
  case syncing
  case live
  /// The provider says that its source is out of reach.
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
    case .vacant: "its provider is not there"
    case .syncing: "its provider is not ready yet"
    case .live: ""
    case .suspended(let reason): reason.isEmpty ? "its provider says that its source is out of reach" : reason
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
  /// The provider's; nil: it has gone, or never came.
  var session: SessionID?
  /// The user to whom it belongs while it is vacant; nil: to whom the configuration says.
  var owner: UInt32?
  fileprivate(set) var state = ClaimState.vacant
  /// When the values were live the last time, by the wall clock; nil: they are live, or never were.
  fileprivate(set) var staleSince: Int64?
  /// The configuration declares it: it stays when it is released.
  var isDeclared = false
  /// Writes that were not answered in time, in a row.
  var misses = 0
  /// In the order of their requests. Bounded by `mostWaiting`; what comes beyond is refused.
  var waiting: [Ticket] = []
  /// Forwarded, and not decided. Bounded by the offer's window and `mostForwardedBytes`.
  var forwarded: [Ticket] = []
  /// What they take: `forwarded` is only ever changed with it.
  private(set) var forwardedBytes = 0
  /// Some of them have outcomes that `deal` has to settle.
  var hasOutcomes = false
  /// No later than the first deadline of its tickets; it may be earlier.
  var nextDeadline = UInt64.max

  static let mostWaiting = 1024
  static let mostForwardedBytes = 1 << 20
  /// So many writes without an answer in a row suspend it.
  static let mostMisses = 3

  init(_ number: UInt32, _ offer: ClaimOffer) { (self.number, self.offer) = (number, offer) }

  var isLive: Bool { state == .live }

  /// Another write can be forwarded.
  var canForward: Bool {
    isLive && !waiting.isEmpty && forwarded.count < Int(offer.window)
      && forwardedBytes < Claim.mostForwardedBytes
  }

  mutating func forward(_ ticket: Ticket) {
    forwarded.append(ticket)
    forwardedBytes += ticket.memory
  }

  /// Takes those out of which `body` is true.
  mutating func takeForwarded(where body: (Ticket) -> Bool) -> [Ticket] {
    let taken = forwarded.filter(body)
    if taken.isEmpty { return [] }
    forwarded.removeAll(where: body)
    forwardedBytes = forwarded.reduce(0) { $0 + $1.memory }
    return taken
  }

  /// Finds the first deadline again.
  mutating func findDeadline() {
    nextDeadline = .max
    for ticket in waiting where ticket.outcome == nil { nextDeadline = min(nextDeadline, ticket.deadline) }
    for ticket in forwarded where ticket.outcome == nil { nextDeadline = min(nextDeadline, ticket.deadline) }
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

  /// - Parameter store: what somebody wanted to write.
  func error(_ store: String?) -> HubError {
    HubError(
      .unavailable, store: store,
      "\(state.reason) (\(offer.name)): nothing was done, try again when it is live")
  }
}
