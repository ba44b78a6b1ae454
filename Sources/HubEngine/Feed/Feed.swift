// Owns the recipients of changes: sessions, their watches, the matching patterns, which sessions are due, and how far each has read.

import HubCore

/// Carries changes to sessions. It reads the history and the stores, and changes only the stores' memberships in
/// patterns. Besides its tables it has what lasts for a turn (changes to note, due sessions) and the memory in which
/// due bytes are assembled, kept so that a turn allocates nothing.
///
/// Invariants: exactly the live sessions are in the watcher lists of their patterns, or behind one that is; a queued session is in `queue` once.
struct Feed: ~Copyable {
  var sessions = SessionTable()
  var patterns: PatternTable
  /// Requests that take several steps. At most one of each session.
  var unfinished: [SessionID: Unfinished] = [:]
  /// This turn's changes that are not noted yet. Bounded: a turn ends when its changes fill much of the log.
  var pending = Table<PendingChange>()
  /// How many of them, from the front, are noted after all.
  var noted = 0

  /// The session that must end because its user's watches take too much memory.
  var reducing: SessionID?

  /// The effect of new access rules on watching sessions, until they have caught up. Their patterns may not be whole
  /// before.
  var news: [SessionID: AccessNews] = [:]
  /// Of the sessions that watch with a filter.
  var filters: [SessionID: SessionFilter] = [:]
  /// What the batch in `scratch` has of the stores of one that compares each change.
  var walked: [UInt64: SentValue] = [:]
  /// Those stores whose state the batch in `scratch` has with a mark.
  var marked: Set<UInt64> = []
  /// Those of the sessions whose interval has not ended.
  var resting = AlarmHeap<SessionID>()
  /// Those whose deadline a store may miss, and when.
  var alarms = AlarmHeap<SessionID>()
  /// By raw number: what they watch with a deadline.
  var written: [UInt64: WrittenStore] = [:]
  /// The time as of the newest request or expiry, once a session watches with a filter, in CLOCK_BOOTTIME nanoseconds: intervals begin then.
  var clock: UInt64 = 0
  /// A session that must end because a store now matches too many patterns.
  var crowded: SessionID?

  /// Hands out the live watchers of the only pattern that this turn changed.
  var walk = WatcherWalk()
  /// The progress of the search for sessions with several changed patterns.
  var search = DueSearch()
  /// The watchers that have everything, skipped in one step.
  let mostPassed: Int
  /// Other sessions that are due. Bounded by the number of sessions.
  var queue = Table<Int32>()
  var queueHead = 0

  /// Where due bytes are assembled that are not contiguous in the log.
  var scratch = OutputBuffer(capacity: 4096)
  /// What `scratch` holds, frame by frame.
  var scratchFrames: [ScratchFrame] = []
  /// What was offered last, for `sent`.
  var offer = Offer.nothing
  /// What a session that is behind was offered last, if it was that.
  var logRun: LogRun?
  /// What was taken last ends within this frame of the log, and much of it is left.
  var cutFrame: CutFrame?
  /// What this turn's live sessions of one pattern get.
  var run = TurnRun()
  /// Finding what to send to the current session takes too long: it must start over.
  var isLost = false
  /// The positions of a walk through several orders.
  var cursors = MinHeap<OrderCursor>()
  /// What a batch for a session that catches up may cost, in units of `Effort`.
  let batchWork: Int
  /// See `HubEngine.Options`.
  let longFrame: Int

  var tally = FeedTally()

  /// - Parameters:
  ///   - stepWork: what a step may cost. A batch may cost more, because a session with many patterns takes most of it for
  ///     finding them.
  ///   - walks: how many walks through patterns there were already, for tests.
  init(stepWork: Int, longFrame: Int, walks: UInt64 = 0) {
    patterns = PatternTable(walks: walks)
    batchWork = stepWork == .max ? .max : stepWork &* 5
    mostPassed = stepWork == .max ? .max : stepWork / Cost.passed
    self.longFrame = longFrame
  }

  /// Ends the session's watches and what it has asked for.
  ///
  /// - Returns: whether nothing is left; if there is, the effort is spent.
  mutating func clear(_ session: SessionID, _ stores: inout Stores, _ effort: inout Effort) -> Bool {
    if !news.isEmpty { news[session] = nil }
    if crowded == session { crowded = nil }
    guard giveUp(session, &stores, &effort), endDeadlines(of: session, &effort) else { return false }
    while sessions[session].firstWatch >= 0 {
      if effort.isSpent { return false }
      spend(endOf: sessions[session].firstWatch, &effort)
      drop(watch: sessions[session].firstWatch, &stores)
    }
    return true
  }
}

/// What the feed counts.
struct FeedTally {
  var deliveries: UInt64 = 0
  var catchUps: UInt64 = 0
  var forgets: UInt64 = 0
}
