// Owns all claims and what is under them: which claim a store's name belongs to, and which tickets wait. It answers nobody.

import HubCore

/// Invariant: no name is matched by the patterns of two claims.
struct Claims: ~Copyable {
  /// In no order. Bounded by `most`.
  var all: [Claim] = []
  /// The claim's place by the node of the tree at which one of its patterns ends.
  private var trie = PatternTrie()
  private var ends: [(pattern: NamePattern, claim: Int)] = []
  var lastNumber: UInt32 = 0
  var lastTicket: UInt64 = 0
  /// Requests that wait for a claim. Bounded by `mostQueued`.
  var queue: [QueuedOffer] = []
  /// What sessions are to be told when the turn's changes are in the journal. Bounded by what tickets and claims are there.
  var messages = SessionMessages()
  /// Forwarded writes whose time was over before they were decided: what a provider accepts late is the truth all the same.
  /// Bounded by `mostLate`, the oldest give way.
  var late: [Late] = []
  /// Tickets have outcomes that `deal` has to settle.
  var hasOutcomes = false
  /// A write that waits can perhaps be forwarded.
  var mayForward = false
  /// No later than the first deadline of a ticket; it may be earlier.
  private(set) var nextDeadline = UInt64.max

  struct QueuedOffer {
    var session: SessionID
    var request: UInt32
    var offer: ClaimOffer
  }

  struct Late {
    var ticket: Ticket
    var session: SessionID
    var claim: UInt32
    var isDone = false
  }

  static let most = 1024
  static let mostLate = 256
  static let mostQueued = 256
  static let mostPatterns = 16
  /// Patterns of all claims together: each new one is compared with all of them.
  static let mostPatternsInAll = 2048
  /// Components of a pattern, so that a comparison is short.
  static let mostComponents = 32
  static let mostOfUser = 256

  var isEmpty: Bool { all.isEmpty && queue.isEmpty && messages.isEmpty }

  func place(named name: StoreName) -> Int? { all.firstIndex { $0.offer.name == name } }
  func place(numbered number: UInt32) -> Int? { all.firstIndex { $0.number == number } }

  /// The claim under which a name is. Mutating, so that the walk needs no memory of its own.
  mutating func place(of name: ByteView) -> Int? {
    var effort = Effort(.max)
    trie.match(name, &effort)
    for index in trie.found.indices {
      let end = ends[Int(trie[trie.found[index]])]
      // Two components may have one hash.
      if end.pattern.matches(name) { return end.claim }
    }
    return nil
  }

  /// A claim, other than the one at `place`, that has a name in common with one of the patterns.
  func overlap(with patterns: [NamePattern], besides place: Int?) -> (claim: Claim, pattern: NamePattern)? {
    for end in ends where end.claim != place {
      if let pattern = patterns.first(where: { $0.meets(end.pattern) }) { return (all[end.claim], pattern) }
    }
    return nil
  }

  /// Patterns have come or gone: builds the tree anew.
  mutating func index() {
    trie = PatternTrie()
    ends = []
    for (place, claim) in all.enumerated() {
      for pattern in claim.offer.patterns {
        let node = trie.insert(pattern)
        // A pattern that a claim has twice ends at one node.
        if trie[node] >= 0 { continue }
        trie[node] = Int32(ends.count)
        ends.append((pattern, place))
      }
    }
  }

  var patternCount: Int { ends.count }

  mutating func note(deadline: UInt64) { nextDeadline = min(nextDeadline, deadline) }

  /// The turn could not be written: what was decided in it is decided again.
  mutating func forgetOutcomes() {
    for place in all.indices {
      for index in all[place].forwarded.indices { all[place].forwarded[index].outcome = nil }
    }
    for index in late.indices { late[index].isDone = false }
    hasOutcomes = false
  }

  mutating func keepLate(_ ticket: Ticket, of session: SessionID, _ claim: UInt32) {
    if late.count >= Claims.mostLate { late.removeFirst() }
    late.append(Late(ticket: ticket, session: session, claim: claim))
  }

  /// Finds the first deadline anew.
  mutating func findDeadline() {
    nextDeadline = .max
    for claim in all {
      for ticket in claim.waiting where ticket.outcome == nil { note(deadline: ticket.deadline) }
      for ticket in claim.forwarded where ticket.outcome == nil { note(deadline: ticket.deadline) }
    }
  }
}
