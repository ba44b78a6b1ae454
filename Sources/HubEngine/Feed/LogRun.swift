// What a session that is behind gets straight from the change log: long contiguous frames, without a copy.

import HubCore

/// Contiguous frames of the log for one session.
struct LogRun {
  /// Where the first one starts.
  var start: UInt64
  var bytes: ByteView
  /// The session has everything up to here once it has the run.
  var next: UInt64
  /// A `synced` must follow, because the run may end at a state that never was.
  var owesSync: Bool
}

/// A frame in the log of which a connection has taken a part.
struct CutFrame {
  var end: UInt64
  var length: Int
}

extension Feed {
  /// How far a walk looks. Beyond that the stores may be fewer than their changes.
  private static let mostLooks = 64

  /// What the session gets next, if it begins with a long frame of the log; nil: it must be assembled.
  mutating func nextRun(
    _ session: SessionID, _ history: borrowing History, _ stores: borrowing Stores, _ effort: inout Effort
  ) -> LogRun? {
    var position = sessions[session].position
    guard position >= history.log.tail, position < history.log.head, !sessions[session].isIntroducing,
      !isFiltered(session)
    else { return nil }
    let every = sessions[session].every
    stampPatterns(of: session, &effort)
    var search = RunSearch(isSynced: !sessions[session].owesSync, least: longFrame)
    for _ in 0..<Feed.mostLooks {
      if isLost { return nil }
      if effort.isSpent { break }
      guard let next = history.log.next(after: position) else {
        return search.run(in: history.log, every: every, hasMore: false)
      }
      position = next.end
      effort.spend(Cost.membership)
      guard isWanted(next, by: session, search.isSynced, every, history, stores, &effort) else { continue }
      guard search.add(next.frame, end: next.end, history.log) else { break }
    }
    return search.run(in: history.log, every: every, hasMore: true)
  }

  private mutating func isWanted(
    _ next: (frame: FrameView, end: UInt64), by session: SessionID, _ isSynced: Bool, _ every: Bool,
    _ history: borrowing History, _ stores: borrowing Stores, _ effort: inout Effort
  ) -> Bool {
    // The superseded changes that were skipped were part of the state there.
    if next.frame.rawKind == EventKind.synced.rawValue { return every && !isSynced }
    return isDue(next.frame, to: session, history, stores, &effort) && (every || !isSuperseded(next, stores))
  }

  /// The run was sent.
  mutating func completed(_ run: LogRun, _ session: SessionID, _ head: UInt64) {
    tally.deliveries &+= 1
    sessions[session].position = run.next
    sessions[session].owesSync = run.owesSync
    if run.next == head, !run.owesSync { joinLive(session) }
  }
}

/// Collects the frames of a run while the log is walked.
private struct RunSearch {
  /// A run is at most this long, unless one frame is longer.
  private static let most = 256 << 10

  /// A run begins with a frame of at least this length.
  private let least: Int
  private var start: UInt64 = 0
  private var end: UInt64 = 0
  /// Whose changes they are.
  private var store: UInt64 = 0
  /// They are changes of one store, each by itself: all of them lead to states that existed.
  private var isPlain: Bool
  /// The frames so far end at a state that existed.
  private(set) var isSynced: Bool

  init(isSynced: Bool, least: Int) { (self.isSynced, isPlain, self.least) = (isSynced, isSynced, least) }

  private var count: Int { Int(end - start) }

  /// - Returns: whether the frame belongs to the run.
  mutating func add(_ frame: FrameView, end: UInt64, _ log: borrowing ChangeLog) -> Bool {
    let length = frame.bytes.count
    if count == 0 {
      if length < least { return false }
      (start, self.end) = (end - UInt64(length), end)
    } else {
      guard self.end + UInt64(length) == end, count + length <= RunSearch.most,
        log.contiguous(from: start, to: end) != nil
      else { return false }
      self.end = end
    }
    isSynced = frame.rawKind == EventKind.synced.rawValue
    if !isSynced { note(frame) }
    return true
  }

  private mutating func note(_ frame: FrameView) {
    let id = frame.bytes[EventLayout.store]
    if store != 0, store != id { isPlain = false }
    if frame.flags & (EventLayout.grouped | EventLayout.more) != 0 { isPlain = false }
    store = id
  }

  /// - Parameters:
  ///   - every: the session gets every change; if not, the skipped ones were superseded.
  ///   - hasMore: there may be more in the log for the session.
  func run(in log: borrowing ChangeLog, every: Bool, hasMore: Bool) -> LogRun? {
    guard count > 0, let bytes = log.contiguous(from: start, to: end) else { return nil }
    let isState = isSynced || isPlain && (every || !hasMore)
    return LogRun(start: start, bytes: bytes, next: hasMore ? end : log.head, owesSync: !isState)
  }
}
