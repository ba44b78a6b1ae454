// Owns the bytes that a session gets next, and handles how many of them were sent. Recipients are decided at the
// turn's end.
//
// A live session gets this turn's frames of its pattern: directly from the log if they are contiguous, otherwise assembled once for all sessions of
// the pattern. A session that is behind gets a batch that `CatchUp` assembles for it alone.

import HubCore

/// What was offered last.
enum Offer {
  case nothing
  /// Contiguous frames in the log, for a live session; the first starts here.
  case log(start: UInt64, count: Int)
  /// `logRun`: the same for a session that is behind.
  case run
  /// `scratch`, described by `scratchFrames`: this turn's frames for a live session.
  case turn(count: Int)
  /// `scratch`, described by `scratchFrames`: a session that is behind.
  case catchUp(count: Int)
}

/// This turn's frames of one pattern, assembled for the first of its sessions and the same for all of them.
struct TurnRun {
  /// -1: there is none.
  var pattern: Int32 = -1
  var policy = DeliveryPolicy.latest
  var offer = Offer.nothing
  var bytes = ByteView(UnsafeRawBufferPointer(start: nil, count: 0))
  /// A part of it may end at a state that never existed.
  var needsSync = false
}

/// One frame in `scratch`: where it ends, and what its delivery achieves.
struct ScratchFrame {
  var end: Int
  var progress: Progress
  /// It is the log's frame that ends at its progress' position.
  var isLogged = false

  enum Progress {
    /// The session has everything up to this position of the log.
    case position(UInt64)
    /// Of this watch's stores, those that last changed up to this position were sent.
    case snapshot(watch: Int32, UInt64)
    /// The watch's request got the removals up to this position.
    case removals(watch: Int32, UInt64)
    /// The session was notified of the stores that it may no longer read, up to this one.
    case withdrew(before: Int)
    /// The session was reset.
    case forgot
    /// The session has everything.
    case caughtUp(UInt64)
  }
}

extension Feed {
  /// What the session gets next, contiguous; empty if nothing. Valid until the engine's next mutation, which must be
  /// `sent`.
  @inline(__always)
  mutating func due(
    for session: SessionID, _ history: inout History, _ stores: inout Stores, _ work: inout Int
  ) -> ByteView {
    // Inlined for all but the first of a pattern's live sessions, and for a session with nothing more due.
    guard sessions[session].delivery == .live else { return begin(session, &history, &stores, &work) }
    let due = sessions[session].dueIndex
    if due == Subscriber.notDue {
      offer = .nothing
      return nothing
    }
    guard due == run.pattern, sessions[session].policy == run.policy else {
      return begin(session, &history, &stores, &work)
    }
    offer = run.offer
    return run.bytes
  }

  @inline(never)
  private mutating func begin(
    _ session: SessionID, _ history: inout History, _ stores: inout Stores, _ work: inout Int
  ) -> ByteView {
    offer = .nothing
    switch sessions[session].delivery {
    case .live:
      let (pattern, policy) = (sessions[session].dueIndex, sessions[session].policy)
      if policy == .filtered { return wakeFiltered(session, pattern, &history, &stores, &work) }
      // If the turn's changes have overrun the log, only current values are left.
      let isForgotten =
        history.turn.start < history.removals.floor
        && sessions.audience(of: session) != Permissions.everything
      if history.turn.start < history.log.tail || isForgotten {
        leaveLive(session, from: history.turn.start)
        return catchUp(session, &history, &stores, &work)
      }
      if pattern < 0 {
        if let bytes = turnRun(session, every: policy == .every, &history, &stores, &work) { return bytes }
        leaveLive(session, from: history.turn.start)
        return catchUp(session, &history, &stores, &work)
      }
      // If watchers of two kinds alternate, the run must be found again.
      work &+= Cost.passed &* patterns[pattern].turn.count
      run = patternRun(pattern, policy, &history, &stores)
      offer = run.offer
      return run.bytes
    case .behind: return catchUp(session, &history, &stores, &work)
    case .paused, .resting, .idle, .greeting, .closed: break
    }
    return nothing
  }

  var nothing: ByteView { ByteView(base: scratch.view.base, count: 0) }

  /// Reports how many of the due bytes were taken. If not all, the session is paused and the rest of the cut frame is
  /// returned: copy it at once, and send it before anything else.
  @inline(__always)
  mutating func sent(
    _ count: Int, to session: SessionID, _ history: inout History, _ stores: inout Stores
  ) -> ByteView {
    if case .log(_, let offered) = offer, count == offered {
      offer = .nothing
      return completed(session, history.log.head)
    }
    return noteSent(count, session, &history, &stores)
  }

  @inline(never)
  private mutating func noteSent(
    _ count: Int, _ session: SessionID, _ history: inout History, _ stores: inout Stores
  ) -> ByteView {
    let offer = self.offer
    self.offer = .nothing
    cutFrame = nil
    switch offer {
    case .nothing:
      precondition(count == 0, "nothing was due")
    case .log(let start, _):
      stopLive(session, from: history.turn.start)
      return cut(session, afterLogBytes: count, start: start, owesSync: run.needsSync, history)
    case .run:
      let run = logRun!
      if count == run.bytes.count {
        completed(run, session, history.log.head)
      } else {
        return cut(session, afterLogBytes: count, start: run.start, owesSync: run.owesSync, history)
      }
    case .turn(let offered):
      if count == offered { return completed(session, history.log.head) }
      stopLive(session, from: history.turn.start)
      return cut(session, afterScratchBytes: count)
    case .catchUp(let offered):
      if isFiltered(session) { noteFiltered(count, to: session, &stores) }
      if count < offered { return cut(session, afterScratchBytes: count) }
      for frame in scratchFrames { apply(frame.progress, to: session) }
      tally.deliveries &+= 1
    }
    return nothing
  }

  @inline(__always)
  private mutating func completed(_ session: SessionID, _ head: UInt64) -> ByteView {
    tally.deliveries &+= 1
    sessions[session].position = head
    sessions[session].dueIndex = Subscriber.notDue
    return nothing
  }

  // MARK: A live session

  private mutating func patternRun(
    _ pattern: Int32, _ policy: DeliveryPolicy, _ history: inout History, _ stores: inout Stores
  ) -> TurnRun {
    let every = policy == .every
    let needsSync = turnNeedsSync(pattern, history.turn)
    if every || patterns[pattern].turn.count == 1,
      let (start, bytes) = contiguousRun(pattern, withSync: needsSync, &history)
    {
      return TurnRun(
        pattern: pattern, policy: policy,
        offer: .log(start: start, count: bytes.count), bytes: bytes, needsSync: needsSync)
    }
    if !every, !needsSync, let (start, bytes) = onlyCurrent(pattern, history, stores) {
      return TurnRun(
        pattern: pattern, policy: policy, offer: .log(start: start, count: bytes.count), bytes: bytes)
    }
    beginScratch()
    for index in patterns[pattern].turn.indices {
      let entry = patterns[pattern].turn[index]
      guard every || entry.isRequired || stores[Int(entry.slot)].position == entry.end,
        let bytes = history.log.frame(endingAt: entry.end, length: Int(entry.length))
      else { continue }
      scratch.append(bytes)
      scratchFrames.append(
        ScratchFrame(end: scratch.count, progress: .position(entry.end), isLogged: true))
    }
    if needsSync { appendTurnSync(history) }
    return TurnRun(pattern: pattern, policy: policy, offer: .turn(count: scratch.count), bytes: scratch.view)
  }

  /// Whether a `synced` must close a batch with the pattern's changes: it brings several stores, or a part of a
  /// transaction.
  private func turnNeedsSync(_ pattern: Int32, _ turn: TurnSpan) -> Bool {
    if turn.slot != TurnSpan.several && !turn.hasGroup { return false }
    if patterns[pattern].turnHasGroup { return true }
    let first = patterns[pattern].turn[0].slot
    return patterns[pattern].turn.indices.contains { patterns[pattern].turn[$0].slot != first }
  }

  /// The only one of the pattern's frames for a session that gets current values, if there is only one.
  private func onlyCurrent(
    _ pattern: Int32, _ history: borrowing History, _ stores: borrowing Stores
  ) -> (start: UInt64, bytes: ByteView)? {
    var only: TurnEntry?
    for index in patterns[pattern].turn.indices {
      let entry = patterns[pattern].turn[index]
      guard entry.isRequired || stores[Int(entry.slot)].position == entry.end else { continue }
      if only != nil { return nil }
      only = entry
    }
    guard let only, let bytes = history.log.frame(endingAt: only.end, length: Int(only.length)) else {
      return nil
    }
    return (only.end - UInt64(only.length), bytes)
  }

  /// The pattern's frames in the log, if they are contiguous.
  private func contiguousRun(
    _ pattern: Int32, withSync: Bool, _ history: inout History
  ) -> (start: UInt64, bytes: ByteView)? {
    let first = patterns[pattern].turn[0]
    let start = first.end - UInt64(first.length)
    var end = start
    for index in patterns[pattern].turn.indices {
      end += UInt64(patterns[pattern].turn[index].length)
      if end != patterns[pattern].turn[index].end { return nil }
    }
    if withSync {
      if end != history.turn.changesEnd { return nil }
      end = history.log.head
    }
    guard let bytes = history.log.contiguous(from: start, to: end), bytes.count == Int(end - start) else {
      return nil
    }
    return (start, bytes)
  }

  /// This turn's frames for a session that is due because of several patterns; nil: it takes so long to find them that
  /// the session must catch up with them, in steps.
  private mutating func turnRun(
    _ session: SessionID, every: Bool, _ history: inout History, _ stores: inout Stores, _ work: inout Int
  ) -> ByteView? {
    beginScratch()
    var effort = Effort(batchWork)
    defer { work &+= effort.spent }
    stampPatterns(of: session, &effort)
    var position = history.turn.start
    while position < history.turn.changesEnd, let next = history.log.next(after: position) {
      if effort.isSpent || isLost { return nil }
      position = next.end
      effort.spend(Cost.membership)
      guard isDue(next.frame, to: session, history, stores, &effort) else { continue }
      if !every, isSuperseded(next, stores) { continue }
      scratch.append(next.frame.bytes)
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .position(next.end), isLogged: true))
    }
    appendTurnSync(history)
    offer = .turn(count: scratch.count)
    return scratch.view
  }

  /// Whether a session that gets current values skips the change: its store has changed again, or is gone.
  func isSuperseded(_ next: (frame: FrameView, end: UInt64), _ stores: borrowing Stores) -> Bool {
    guard next.frame.rawKind == EventKind.change.rawValue else { return false }
    let slot = stores.find(StoreID(raw: next.frame.bytes[EventLayout.store]))
    return slot.map { stores[$0].position != next.end } ?? true
  }

  mutating func beginScratch() {
    // Room for a longest frame: mapping and unmapping it for each session would take longer than sending it.
    scratch.clear(keeping: 2 << 20)
    scratchFrames.removeAll(keepingCapacity: true)
    if case .turn = run.offer { run = TurnRun() }
  }

  private mutating func appendTurnSync(_ history: borrowing History) {
    HubEvent.synced(revision: history.revision).encode(into: &scratch)
    scratchFrames.append(ScratchFrame(end: scratch.count, progress: .position(history.log.head)))
  }

  // MARK: Cut short

  /// - Parameter owesSync: what was sent does not end at a state that existed.
  private mutating func cut(
    _ session: SessionID, afterLogBytes count: Int, start: UInt64, owesSync: Bool,
    _ history: borrowing History
  ) -> ByteView {
    sessions.move(session, to: .paused)
    var position = start
    var taken = 0
    while taken < count, let next = history.log.next(after: position) {
      position = next.end
      taken += next.frame.bytes.count
      sessions[session].position = position
      if owesSync { sessions[session].owesSync = true }
      if taken > count { return rest(taken - count, ofFrameEndingAt: position, next.frame.bytes) }
    }
    return nothing
  }

  /// What is left of a frame in the log.
  private mutating func rest(_ count: Int, ofFrameEndingAt end: UInt64, _ frame: ByteView) -> ByteView {
    if count >= longFrame { cutFrame = CutFrame(end: end, length: frame.count) }
    return frame.suffix(from: frame.count - count)
  }

  private mutating func cut(_ session: SessionID, afterScratchBytes count: Int) -> ByteView {
    sessions.move(session, to: .paused)
    var start = 0
    for frame in scratchFrames {
      if start >= count, frame.end > count { break }
      sessions[session].owesSync = true
      apply(frame.progress, to: session)
      if frame.end > count {
        let (left, bytes) = (frame.end - count, scratch.view.slice(start, frame.end - start))
        guard frame.isLogged, case .position(let end) = frame.progress else {
          return bytes.suffix(from: bytes.count - left)
        }
        return rest(left, ofFrameEndingAt: end, bytes)
      }
      start = frame.end
    }
    return nothing
  }

  private mutating func apply(_ progress: ScratchFrame.Progress, to session: SessionID) {
    switch progress {
    case .position(let position): sessions[session].position = position
    case .snapshot(let watch, let position): sessions[watch: watch].snapshot = position
    case .removals(let watch, let position): sessions[watch: watch].removals = position
    case .withdrew(let index): didWithdraw(session, before: index)
    case .forgot: sessions[session].mustForget = false
    case .caughtUp(let position):
      sessions[session].position = position
      sessions[session].owesSync = false
      // A session whose connection took only part of the last frame joins once the rest is sent.
      if sessions[session].delivery == .behind, !(isFiltered(session) && rest(session)) { joinLive(session) }
    }
  }
}
