// Owns who receives changes: sessions, what they watch, which patterns match what, who is due, and how far each has come.

/// Carries changes to sessions. It reads the history and the stores, and changes only the stores' memberships in patterns.
///
/// Invariants: exactly the live sessions are in the watcher lists of their patterns; a queued session is in `queue` once.
struct Feed: ~Copyable {
  var sessions = SessionTable()
  var patterns = PatternTable()

  /// Hands out the live watchers of the only pattern that this turn changed.
  var walk = WatcherWalk()
  /// Other sessions that are due. Bounded by the number of sessions.
  var queue = Table<Int32>()
  var queueHead = 0

  /// Where due bytes are assembled that are not contiguous in the log.
  var scratch = OutputBuffer(capacity: 4096)
  /// What `scratch` holds, frame by frame.
  var scratchFrames: [ScratchFrame] = []
  /// What was offered last, for `sent`.
  var offer = Offer.nothing
  /// What this turn's live sessions of one pattern get.
  var run = TurnRun()
  /// The positions of a walk through several orders.
  var cursors: [OrderCursor] = []

  var tally = FeedTally()

  /// Ends a session and its watches.
  mutating func close(_ session: SessionID, _ stores: inout Stores) {
    while sessions[session].firstWatch >= 0 { drop(watch: sessions[session].firstWatch, &stores) }
    sessions.close(session)
  }
}

/// What the feed counts.
struct FeedTally {
  var deliveries: UInt64 = 0
  var catchUps: UInt64 = 0
  var forgets: UInt64 = 0
}
