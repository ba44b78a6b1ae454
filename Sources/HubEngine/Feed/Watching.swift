// Opening and ending watches: which patterns a session follows, and from where. `Delivery` does the sending.

import HubCore

extension Feed {
  /// - Returns: whether the request is answered; if not, it takes another step.
  mutating func watch(
    _ frame: FrameView, _ session: SessionID, limit: Int, _ history: inout History, _ stores: inout Stores,
    _ effort: inout Effort, into replies: inout OutputBuffer
  ) throws(HubError) -> Bool {
    guard notePending(&stores, &effort) else { return false }
    var progress: WatchProgress
    if case .watch(let begun) = unfinished.removeValue(forKey: session) {
      progress = begun
    } else {
      progress = try begin(frame, of: session, limit: limit, &stores, &effort)
    }
    guard advance(&progress, &stores, &effort) else {
      unfinished[session] = .watch(progress)
      return false
    }
    stores.accounts.refund(charge(progress.memory, of: session))
    if let failure = progress.failure { throw failure }
    follow(progress, session, &history, &stores, &effort, into: &replies)
    effort.spend(Cost.membership * (progress.watches.count + sessions.watchCount(of: session)))
    return true
  }

  private func begin(
    _ frame: FrameView, of session: SessionID, limit: Int, _ stores: inout Stores, _ effort: inout Effort
  ) throws(HubError) -> WatchProgress {
    guard let command = WatchCommand(frame) else { throw HubError.malformed(frame) }
    effort.spend(Cost.bytes(frame.bytes.count))
    let request = frame.request
    if command.patterns.isEmpty { throw HubError(.malformed, "a watch needs at least one store or pattern") }
    if watch(request, of: session, &effort) != nil {
      throw HubError(.malformed, "request \(request) is an open watch of this connection")
    }
    if sessions.watchCount(of: session) + command.patterns.count > limit {
      throw HubError(.quota, "a connection can watch at most \(limit) patterns")
    }
    try check(command, by: session)
    let memory = MemoryCost.request(frame)
    try checkMemory(memory + MemoryCost.watches(command.patterns), for: session, &stores)
    stores.accounts.add(charge(memory, of: session))
    return WatchProgress(session: session, request: request, command: command, memory: memory)
  }

  /// A session's events are those of all of its watches, so that it has one filter.
  private func check(_ command: WatchCommand, by session: SessionID) throws(HubError) {
    if command.filter != nil, command.policy == .every || command.schemas {
      throw HubError(.malformed, "a watch with a filter cannot ask for every change or for schemas")
    }
    if sessions[session].firstWatch >= 0, command.filter != filters[session]?.filter {
      throw HubError(
        .malformed,
        "all open watches of a connection must have the same filter, or none: use another connection")
    }
  }

  /// One of the patterns of an open watch.
  private func watch(_ request: UInt32, of session: SessionID, _ effort: inout Effort) -> Int32? {
    guard sessions.mayWatch(request, of: session) else { return nil }
    effort.spend(Cost.passed * sessions.watchCount(of: session))
    return sessions.watch(request, of: session)
  }

  /// The watch begins.
  private mutating func follow(
    _ progress: WatchProgress, _ session: SessionID, _ history: inout History, _ stores: inout Stores,
    _ effort: inout Effort, into replies: inout OutputBuffer
  ) {
    let command = progress.command
    if let filter = command.filter, filters[session] == nil {
      beginFilter(SessionFilter(filter), of: session, &stores)
    }
    Reply.watching(revision: history.revision).encode(into: &replies, request: progress.request)
    leaveLive(session, from: history.turn.start)
    let wasIdle = sessions[session].firstWatch < 0
    var start: UInt64 = 0
    var removals: UInt64?
    var (resumes, isIntroducing) = (false, true)
    if let bookmark = command.bookmark {
      if stores.permissions.knows(
        what: sessions.audience(of: session), of: sessions.peer(of: session), couldReadAt: bookmark.revision),
        let position = history.position(
          of: bookmark, in: patterns[PatternTable.everything].order, &effort)
      {
        resumes = true
        filters[session]?.deadlines?.resumes = true
        HubEvent.resumed(revision: bookmark.revision).encode(into: &replies)
        if wasIdle { sessions[session].position = position }
        start = position >= sessions[session].position ? .max : position
        // Values that were left out are older than the bookmark, and the values that the filter compares with are unknown.
        if command.filter?.compares == true {
          (start, removals) = (0, min(position, sessions[session].position))
        }
        // The bookmark may lie within a catch-up that has left out changes, even the creation of stores.
        isIntroducing = start != .max || bookmark.revision < history.revision
      } else {
        HubEvent.forget(history.epoch, revision: history.revision).encode(into: &replies)
        startOver(session, history.log.head)
      }
    }
    if isIntroducing { sessions[session].isIntroducing = true }
    for watch in progress.watches {
      sessions[watch: watch].snapshot = start
      sessions.begin(watch: watch)
    }
    if resumes { sessions[watch: sessions[session].firstWatch].removals = removals ?? start }
    sessions[session].owesSync = true
    enqueue(session)
  }

  /// The client must forget everything: all of its watches begin with a full snapshot.
  mutating func startOver(_ session: SessionID, _ head: UInt64) {
    tally.forgets &+= 1
    sessions[session].position = head
    sessions[session].isIntroducing = true
    if isFiltered(session) { forgetSent(session) }
    var node = sessions[session].firstWatch
    while node >= 0 {
      sessions[watch: node].snapshot = 0
      sessions[watch: node].removals = .max
      node = sessions[watch: node].next
    }
  }

  /// - Returns: whether the request is answered; if not, it takes another step.
  mutating func unwatch(
    _ frame: FrameView, _ session: SessionID, _ stores: inout Stores, _ effort: inout Effort,
    into replies: inout OutputBuffer
  ) throws(HubError) -> Bool {
    guard let command = UnwatchCommand(frame) else { throw HubError.malformed(frame) }
    let request = command.watch
    var index: Int32
    if case .unwatch(let next) = unfinished.removeValue(forKey: session) {
      index = next
    } else if let first = watch(request, of: session, &effort) {
      index = first
    } else {
      throw HubError(.malformed, "request \(request) is not an open watch of this connection")
    }
    // The patterns of one request are adjacent.
    while index >= 0, sessions[watch: index].request == request {
      let isOnly = sessions[watch: index].next < 0 && sessions[watch: index].previous < 0
      if effort.isSpent || isOnly && !endDeadlines(of: session, &effort) {
        unfinished[session] = .unwatch(next: index)
        return false
      }
      let next = sessions[watch: index].next
      spend(endOf: index, &effort)
      drop(watch: index, &stores)
      index = next
    }
    Reply.unwatched.encode(into: &replies, request: frame.request)
    return true
  }

  /// Ends one watch.
  mutating func drop(watch index: Int32, _ stores: inout Stores) {
    let session = SessionID(raw: sessions[watch: index].session)
    removeFromWatchers(index)
    sessions.end(watch: index)
    letGo(watch: index, &stores)
    if sessions[session].firstWatch < 0 {
      endFilter(of: session, &stores)
      sessions.becomeIdle(session)
    }
  }

  // MARK: Live and behind

  /// Takes the session out of its patterns' watcher lists: it catches up from the turn's start.
  mutating func leaveLive(_ session: SessionID, from start: UInt64) {
    if sessions[session].delivery == .live { countCatchUp(of: session) }
    stopLive(session, from: start)
  }

  mutating func countCatchUp(of session: SessionID) {
    tally.catchUps &+= 1
    sessions.countCatchUp(of: session)
  }

  /// The same for a session that continues from the log, as soon as its connection accepts more.
  mutating func stopLive(_ session: SessionID, from start: UInt64) {
    switch sessions[session].delivery {
    case .live:
      var node = sessions[session].firstWatch
      while node >= 0 {
        removeFromWatchers(node)
        sessions[watch: node].snapshot = .max
        node = sessions[watch: node].next
      }
      sessions.move(session, to: .behind)
      sessions[session].position = max(sessions[session].position, start)
      sessions[session].dueIndex = Subscriber.notDue
    case .resting:
      resting.remove(session)
      sessions.move(session, to: .behind)
    case .idle:
      sessions.move(session, to: .behind)
      sessions[session].position = start
    case .paused where sessions[session].firstWatch < 0: sessions[session].position = start
    case .behind, .paused, .greeting, .closed: break
    }
  }

  /// A session that has everything owes nothing older.
  mutating func stayWhole(_ session: SessionID, as delivery: Delivery) {
    sessions.move(session, to: delivery)
    if !news.isEmpty { news[session] = nil }
    sessions[session].isIntroducing = false
    sessions[session].dueIndex = Subscriber.notDue
  }

  /// A session that has everything enters its patterns' watcher lists.
  mutating func joinLive(_ session: SessionID) {
    stayWhole(session, as: .live)
    joinWatchers(session)
  }

  mutating func enqueue(_ session: SessionID) {
    guard !sessions[session].isQueued, sessions[session].delivery != .paused else { return }
    sessions[session].isQueued = true
    queue.append(session.raw)
  }

  /// The session's connection takes nothing: no events are offered to it until `resumeDelivery`.
  mutating func pauseDelivery(to session: SessionID, from start: UInt64) {
    guard sessions.isOpen(session), sessions[session].delivery != .greeting else { return }
    leaveLive(session, from: start)
    sessions.move(session, to: .paused)
  }

  /// The session's connection has taken everything that was waiting.
  mutating func resumeDelivery(to session: SessionID) {
    guard sessions.isOpen(session), sessions[session].delivery == .paused else { return }
    if sessions[session].firstWatch < 0 {
      sessions.move(session, to: .idle)
    } else {
      // It may have been resting.
      sessions.move(session, to: .behind)
      if !sessions[session].owesSync, isFiltered(session), rest(session) { return }
      enqueue(session)
    }
  }
}
