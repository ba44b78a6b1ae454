// Owns all claims and their contents: which claim a store's name belongs to, and which tickets wait. It sends no
// replies.

import HubCore

/// Invariant: no name is matched by the patterns of two claims.
struct Claims: ~Copyable {
  /// In no order. Bounded by `most`.
  var all: [Claim] = []
  /// The users that may provide declared claims, by the claim's name.
  var declaredProviders: [StoreName: [UInt32]] = [:]
  /// Where they are, by name and by number.
  private var placesByName: [StoreName: Int] = [:]
  private var placesByNumber: [UInt32: Int] = [:]
  /// Expired values without a provider: they end, some in each turn.
  var orphans = Deque<Ticket>()
  /// How many of the claims, from the front, a session that is closing has left. Bounded by the number of sessions.
  var leaving: [SessionID: Int] = [:]
  /// By the node of the tree at which a pattern ends, where it is among `ends`.
  private var trie = PatternTrie()
  private var ends: [End] = []
  var lastNumber: UInt32
  var lastTicket: UInt64 = 0
  /// Requests that wait for a claim. Bounded by `mostQueued`.
  var queue: [QueuedOffer] = []
  /// How many of them, from the front, were tried since a claim became free; nil: none has become free.
  var served: Int?
  /// Another claim became free: all of them are tried again.
  private var servesAgain = false
  /// The next claim that may forward writes.
  var nextForwarding = 0
  /// Messages for sessions, sent when the turn's changes are in the journal. Bounded by the number of tickets and
  /// claims.
  var messages = SessionMessages()
  /// Forwarded writes that expired before they were decided: a late acceptance still takes effect. Bounded by
  /// `mostLate`, the oldest give way.
  var late: [Late] = []
  /// Tickets have outcomes that `deal` must answer.
  var hasOutcomes = false
  /// A write that waits can perhaps be forwarded.
  var mayForward = false
  /// How many claims have providers that answer reads.
  private(set) var answeringReads = 0
  /// Watchers of a claim must still be found, or published.
  var isCounting = false
  /// No later than the first deadline of a ticket; it may be earlier.
  private(set) var nextDeadline = UInt64.max

  /// A pattern of a claim.
  private struct End {
    var pattern: PatternKeys
    var claim: Int
    var node: Int32
  }

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

  /// - Parameter lastNumber: that of the claim that began last, for tests.
  init(lastNumber: UInt32 = 0) { self.lastNumber = lastNumber }

  /// The next call of `deal` has work, whatever happens.
  var hasWork: Bool { mayForward || served != nil || !orphans.isEmpty || isCounting }

  var isEmpty: Bool { all.isEmpty && queue.isEmpty && messages.isEmpty && orphans.isEmpty }

  func place(named name: StoreName) -> Int? { placesByName[name] }
  func place(numbered number: UInt32) -> Int? { placesByNumber[number] }

  /// The claim under which a name is. Mutating, so that the walk needs no additional memory.
  ///
  /// - Parameter work: raised by what it has cost.
  mutating func place(of name: ByteView, _ work: inout Int) -> Int? {
    var effort = Effort(.max)
    defer { work &+= effort.spent }
    trie.match(name, &effort)
    for index in trie.found.indices {
      let end = ends[Int(trie[trie.found[index]])]
      // Two components may have the same hash.
      if end.pattern.pattern.matches(name) { return end.claim }
    }
    return nil
  }

  /// A claim, other than the one at `place`, that has a name in common with one of the patterns.
  ///
  /// - Parameter work: raised by what it has cost.
  func overlap(
    with patterns: [NamePattern], besides place: Int?, _ work: inout Int
  ) -> (claim: Claim, pattern: NamePattern)? {
    let patterns = patterns.map { PatternKeys($0) }
    for end in ends where end.claim != place {
      for pattern in patterns {
        work &+= pattern.cost(ofMeeting: end.pattern)
        if pattern.meets(end.pattern) { return (all[end.claim], pattern.pattern) }
      }
    }
    return nil
  }

  /// The patterns of claims that have a name in common with this one.
  ///
  /// - Parameter work: raised by what it has cost.
  func patterns(meeting pattern: NamePattern, _ work: inout Int) -> [(claim: Int, pattern: NamePattern)] {
    let keys = pattern.components.count < 64 ? PatternKeys(pattern) : nil
    var found: [(claim: Int, pattern: NamePattern)] = []
    for end in ends {
      work &+= keys?.cost(ofMeeting: end.pattern) ?? Cost.meeting(pattern, end.pattern.pattern)
      if keys?.meets(end.pattern) ?? pattern.meets(end.pattern.pattern) {
        found.append((end.claim, end.pattern.pattern))
      }
    }
    return found
  }

  /// An unused number. Numbers repeat after four billion.
  mutating func newNumber() -> UInt32 {
    repeat {
      lastNumber &+= 1
    } while lastNumber == 0 || place(numbered: lastNumber) != nil
      || late.contains { $0.claim == lastNumber }
    return lastNumber
  }

  // MARK: Coming and going

  /// - Returns: its slot.
  mutating func add(_ claim: Claim) -> Int {
    all.append(claim)
    enter(all.count - 1)
    return all.count - 1
  }

  mutating func remove(at place: Int) {
    leave(place)
    let last = all.count - 1
    for index in ends.indices where ends[index].claim == last { ends[index].claim = place }
    all.swapAt(place, last)
    all.removeLast()
    if place < last { notePlace(place) }
    // The last claim has moved: sessions that are closing may not have left it yet.
    for (session, count) in leaving where count > place { leaving[session] = place }
  }

  private mutating func notePlace(_ place: Int) {
    placesByName[all[place].offer.name] = place
    placesByNumber[all[place].number] = place
  }

  /// Replaces a claim with another one, or with another offer.
  mutating func replace(_ claim: Claim, at place: Int) {
    leave(place)
    all[place] = claim
    enter(place)
  }

  private mutating func enter(_ place: Int) {
    notePlace(place)
    isCounting = true
    if all[place].offer.answersReads { answeringReads += 1 }
    for pattern in all[place].offer.patterns {
      let node = trie.insert(pattern)
      // A pattern that a claim has twice ends at one node.
      if trie[node] >= 0 { continue }
      trie[node] = Int32(ends.count)
      ends.append(End(pattern: PatternKeys(pattern), claim: place, node: node))
    }
  }

  private mutating func leave(_ place: Int) {
    noteFree()
    if all[place].offer.answersReads { answeringReads -= 1 }
    placesByName[all[place].offer.name] = nil
    placesByNumber[all[place].number] = nil
    for index in ends.indices.reversed() where ends[index].claim == place {
      trie[ends[index].node] = -1
      trie.prune(ends[index].node)
      let last = ends.removeLast()
      if index == ends.count { continue }
      ends[index] = last
      trie[last.node] = Int32(index)
    }
  }

  var patternCount: Int { ends.count }

  // MARK: The queue

  /// A claim, or a part of one, has become free: waiters are tried.
  mutating func noteFree() {
    if queue.isEmpty { return }
    if served == nil { served = 0 } else { servesAgain = true }
  }

  /// All waiters were tried.
  mutating func endServing() {
    served = servesAgain && !queue.isEmpty ? 0 : nil
    servesAgain = false
  }

  /// A session no longer waits.
  mutating func leaveQueue(_ session: SessionID) {
    queue.removeAll { $0.session == session }
    if served != nil { (served, servesAgain) = (0, false) }
  }

  // MARK: Deadlines

  mutating func note(deadline: UInt64, at place: Int) {
    all[place].nextDeadline = min(all[place].nextDeadline, deadline)
    nextDeadline = min(nextDeadline, deadline)
  }

  /// The turn could not be written: what was accepted in it has taken effect, and may be lost.
  mutating func disavowOutcomes() {
    for place in all.indices { all[place].disavowOutcomes() }
  }

  /// Finds the first deadline again.
  mutating func findDeadline() { nextDeadline = all.reduce(.max) { min($0, $1.nextDeadline) } }
}
