// Opening and ending watches: which patterns a session follows, and from where. `Delivery` does the sending.

extension Feed {
  mutating func watch(
    _ frame: FrameView, _ session: SessionID, limit: Int, _ history: inout History, _ stores: inout Stores,
    into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = WatchCommand(frame) else { throw HubError.malformed(frame) }
    var wanted: [NamePattern] = []
    for text in command.patterns { wanted.append(try NamePattern(text)) }
    if wanted.isEmpty { throw HubError(.malformed, "a watch names at least one store or pattern") }
    if sessions.watch(frame.request, of: session) != nil {
      throw HubError(.malformed, "request \(frame.request) is an open watch of this connection")
    }
    var open = 0
    sessions.forEachWatch(of: session) { _, _ in open += 1 }
    if open + wanted.count > limit {
      throw HubError(.quota, "a connection watches at most \(limit) patterns")
    }
    Reply.watching(revision: history.revision).encode(into: &replies, request: frame.request)
    leaveLive(session, history)
    let wasIdle = sessions[session].firstWatch < 0
    var start: UInt64 = 0
    var resumes = false
    if let bookmark = command.bookmark {
      if let position = history.position(of: bookmark, in: patterns[PatternTable.everything].order) {
        resumes = true
        HubEvent.resumed(revision: bookmark.revision).encode(into: &replies)
        if wasIdle { sessions[session].position = position }
        start = position >= sessions[session].position ? .max : position
      } else {
        HubEvent.forget(history.epoch, revision: history.revision).encode(into: &replies)
        startOver(session, history.log.head)
      }
    }
    if start != .max { sessions[session].isIntroducing = true }
    for pattern in wanted {
      let index = patterns.retain(pattern, stores: &stores)
      _ = sessions.add(
        Watch(
          session: session.raw, request: frame.request, pattern: index, next: -1,
          every: command.policy == .every, schemas: command.schemas, snapshot: start,
          resumes: resumes && start != .max))
    }
    sessions[session].owesSync = true
    enqueue(session)
  }

  /// The client must forget everything: all of its watches begin with a full snapshot.
  mutating func startOver(_ session: SessionID, _ head: UInt64) {
    tally.forgets &+= 1
    sessions[session].position = head
    sessions[session].isIntroducing = true
    var node = sessions[session].firstWatch
    while node >= 0 {
      sessions[watch: node].snapshot = 0
      sessions[watch: node].resumes = false
      node = sessions[watch: node].next
    }
  }

  mutating func unwatch(
    _ frame: FrameView, _ session: SessionID, _ stores: inout Stores, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = UnwatchCommand(frame) else { throw HubError.malformed(frame) }
    let request = command.watch
    guard sessions.watch(request, of: session) != nil else {
      throw HubError(.malformed, "request \(request) is no open watch of this connection")
    }
    while let watch = sessions.watch(request, of: session) {
      drop(watch: watch, &stores)
    }
    Reply.unwatched.encode(into: &replies, request: frame.request)
  }

  /// Ends one watch.
  mutating func drop(watch index: Int32, _ stores: inout Stores) {
    let watch = sessions[watch: index]
    removeFromWatchers(index)
    sessions.remove(watch: index)
    patterns.release(watch.pattern, stores: &stores)
    let session = SessionID(raw: watch.session)
    if sessions[session].firstWatch < 0 { sessions.becomeIdle(session) }
  }

  // MARK: Live and behind

  /// Takes the session out of its patterns' watcher lists: it catches up from this turn's start.
  mutating func leaveLive(_ session: SessionID, _ history: borrowing History) {
    switch sessions[session].delivery {
    case .live:
      var node = sessions[session].firstWatch
      while node >= 0 {
        removeFromWatchers(node)
        sessions[watch: node].snapshot = .max
        node = sessions[watch: node].next
      }
      sessions.move(session, to: .behind)
      sessions[session].position = max(sessions[session].position, history.turn.start)
      sessions[session].dueIndex = Subscriber.notDue
      tally.catchUps &+= 1
    case .idle:
      sessions.move(session, to: .behind)
      sessions[session].position = history.turn.start
    case .paused where sessions[session].firstWatch < 0: sessions[session].position = history.turn.start
    case .behind, .paused, .greeting, .closed: break
    }
  }

  /// A session that has everything enters its patterns' watcher lists.
  mutating func joinLive(_ session: SessionID) {
    sessions.move(session, to: .live)
    sessions[session].isIntroducing = false
    sessions[session].dueIndex = Subscriber.notDue
    var node = sessions[session].firstWatch
    while node >= 0 {
      let pattern = sessions[watch: node].pattern
      sessions[watch: node].place = Int32(patterns[pattern].watchers.count)
      patterns[pattern].watchers.append(node)
      node = sessions[watch: node].next
    }
  }

  private mutating func removeFromWatchers(_ index: Int32) {
    let (pattern, place) = (sessions[watch: index].pattern, sessions[watch: index].place)
    guard place >= 0 else { return }
    let last = patterns[pattern].watchers.removeLast()
    if last != index {
      patterns[pattern].watchers[Int(place)] = last
      sessions[watch: last].place = place
    }
    sessions[watch: index].place = -1
  }

  mutating func enqueue(_ session: SessionID) {
    guard !sessions[session].isQueued, sessions[session].delivery != .paused else { return }
    sessions[session].isQueued = true
    queue.append(session.raw)
  }

  /// The session's connection takes nothing: no events are offered to it until `resumeDelivery`.
  mutating func pauseDelivery(to session: SessionID, _ history: borrowing History) {
    guard sessions.isOpen(session), sessions[session].delivery != .greeting else { return }
    leaveLive(session, history)
    sessions.move(session, to: .paused)
  }

  /// The session's connection has taken everything that was waiting.
  mutating func resumeDelivery(to session: SessionID) {
    guard sessions.isOpen(session), sessions[session].delivery == .paused else { return }
    if sessions[session].firstWatch < 0 {
      sessions.move(session, to: .idle)
    } else {
      sessions.move(session, to: .behind)
      enqueue(session)
    }
  }
}
