// Opening and ending watches: which patterns a session follows, and from where. Sending is `HubEngine+Delivery`'s.

extension HubEngine {
  mutating func watch(
    _ frame: FrameView, _ session: SessionID, into replies: inout OutputBuffer
  ) throws(HubError) {
    guard let command = WatchCommand(frame) else { throw HubEngine.malformed(frame) }
    var wanted: [NamePattern] = []
    for text in command.patterns { wanted.append(try NamePattern(text)) }
    if wanted.isEmpty { throw HubError(.malformed, "a watch names at least one store or pattern") }
    if sessions.watch(frame.request, of: session) != nil {
      throw HubError(.malformed, "request \(frame.request) is an open watch of this connection")
    }
    var open = 0
    sessions.forEachWatch(of: session) { _, _ in open += 1 }
    if open + wanted.count > options.maximumWatches {
      throw HubError(.quota, "a connection watches at most \(options.maximumWatches) patterns")
    }
    Reply.watching(revision: revision).encode(into: &replies, request: frame.request)
    leaveLive(session)
    let wasIdle = sessions[session].firstWatch < 0
    var start: UInt64 = 0
    var resumes = false
    if let bookmark = command.bookmark {
      if let position = position(of: bookmark) {
        resumes = true
        HubEvent.resumed(revision: bookmark.revision).encode(into: &replies)
        if wasIdle { sessions[session].position = position }
        start = position >= sessions[session].position ? .max : position
      } else {
        HubEvent.forget(epoch, revision: revision).encode(into: &replies)
        startOver(session)
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

  /// The client has to forget everything: all of its watches begin with a full snapshot.
  mutating func startOver(_ session: SessionID) {
    tally.forgets &+= 1
    sessions[session].position = log.head
    sessions[session].isIntroducing = true
    var node = sessions[session].firstWatch
    while node >= 0 {
      sessions[watch: node].snapshot = 0
      sessions[watch: node].resumes = false
      node = sessions[watch: node].next
    }
  }

  /// Where a bookmark stands in the order of changes; nil if the hub does not remember everything that went since.
  private func position(of bookmark: Bookmark) -> UInt64? {
    guard bookmark.epoch == epoch, bookmark.revision <= revision else { return nil }
    guard bookmark.revision >= removals.floorRevision else { return nil }
    if bookmark.revision == revision { return log.head }
    // What the log still has tells exactly; the order holds only each store's newest change.
    var position = log.tail
    if bookmark.revision < log.tailRevision {
      position = max(
        patterns[PatternTable.everything].order.position(of: bookmark.revision),
        removals.position(of: bookmark.revision))
      if position < log.tail { return position }
    }
    while let next = log.next(after: position),
      EventLayout.revision(of: next.frame.bytes.base) <= bookmark.revision
    {
      position = next.end
    }
    return position
  }

  mutating func unwatch(
    _ frame: FrameView, _ session: SessionID, into replies: inout OutputBuffer
  ) throws(HubError) {
    var reader = ByteReader(frame.payload)
    let request = reader.integer(UInt32.self)
    if reader.failed { throw HubEngine.malformed(frame) }
    guard sessions.watch(request, of: session) != nil else {
      throw HubError(.malformed, "request \(request) is no open watch of this connection")
    }
    while let watch = sessions.watch(request, of: session) { drop(watch: watch) }
    Reply.unwatched.encode(into: &replies, request: frame.request)
  }

  /// Ends one watch.
  mutating func drop(watch index: Int32) {
    let watch = sessions[watch: index]
    removeFromWatchers(index)
    sessions.remove(watch: index)
    patterns.release(watch.pattern, stores: &stores)
    let session = SessionID(raw: watch.session)
    if sessions[session].firstWatch < 0 {
      sessions[session] = Subscriber(
        mark: sessions[session].mark, delivery: sessions[session].delivery == .held ? .held : .idle,
        isQueued: sessions[session].isQueued)
    }
  }

  // MARK: Live and behind

  /// Takes the session out of its patterns' watcher lists: it catches up from where this turn began.
  mutating func leaveLive(_ session: SessionID) {
    switch sessions[session].delivery {
    case .live:
      var node = sessions[session].firstWatch
      while node >= 0 {
        removeFromWatchers(node)
        sessions[watch: node].snapshot = .max
        node = sessions[watch: node].next
      }
      sessions[session].delivery = .behind
      sessions[session].position = max(sessions[session].position, turnStart)
      sessions[session].mark = Subscriber.unmarked
      tally.catchUps &+= 1
    case .idle:
      sessions[session].delivery = .behind
      sessions[session].position = turnStart
    case .held where sessions[session].firstWatch < 0: sessions[session].position = turnStart
    case .behind, .held, .greeting, .closed: break
    }
  }

  /// A session that has everything enters its patterns' watcher lists.
  mutating func joinLive(_ session: SessionID) {
    sessions[session].delivery = .live
    sessions[session].isIntroducing = false
    sessions[session].mark = Subscriber.unmarked
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
    guard !sessions[session].isQueued, sessions[session].delivery != .held else { return }
    sessions[session].isQueued = true
    queue.append(session.raw)
  }

  /// The session's connection takes nothing: no events are offered to it until `release`.
  public mutating func hold(_ session: SessionID) {
    guard sessions.isOpen(session), sessions[session].delivery != .greeting else { return }
    leaveLive(session)
    sessions[session].delivery = .held
  }

  /// The session's connection has taken everything that was waiting.
  public mutating func release(_ session: SessionID) {
    guard sessions.isOpen(session), sessions[session].delivery == .held else { return }
    if sessions[session].firstWatch < 0 {
      sessions[session].delivery = .idle
    } else {
      sessions[session].delivery = .behind
      enqueue(session)
    }
  }
}
