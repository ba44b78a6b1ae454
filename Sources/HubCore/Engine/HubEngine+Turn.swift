// The end of a turn: who has to hear of its changes. It decides; `HubEngine+Delivery` puts the bytes together.

/// A walk through the watchers of one pattern. Nobody has to be marked before the first of them is served.
struct WatcherWalk {
  var pattern: Int32 = -1
  /// How many watchers, from the front of the list on, have not been handed out.
  var rest = 0
}

extension HubEngine {
  /// Finds out who follows what changed. Afterwards `nextDue` hands them out.
  public mutating func endTurn() {
    counters.turns &+= 1
    guard log.head > turnStart else { return }
    turnChangesEnd = log.head
    if turnSlot == -2 || turnHasGroup, sessions.watchCount > 0 {
      let length = Frame.headerLength + 8
      scratch.clear()
      HubEvent.synced(revision: revision).encode(into: &scratch)
      log.append(length, revision: revision)?.copyMemory(from: scratch.base, byteCount: length)
    }
    if patterns.changed.count == 1 {
      let pattern = patterns.changed[0]
      if patterns[pattern].turn.isEmpty { return }
      walk = WatcherWalk(pattern: pattern, rest: patterns[pattern].watchers.count)
    } else {
      markWatchers()
    }
  }

  /// A session may follow several of the patterns that have changed: it is due once, with all of them.
  private mutating func markWatchers() {
    for index in patterns.changed.indices where !patterns[patterns.changed[index]].turn.isEmpty {
      let pattern = patterns.changed[index]
      for place in patterns[pattern].watchers.indices {
        let session = SessionID(raw: sessions[watch: patterns[pattern].watchers[place]].session)
        let mark = sessions[session].mark
        if mark == Subscriber.unmarked {
          sessions[session].mark = pattern
          enqueue(session)
        } else if mark != pattern {
          sessions[session].mark = Subscriber.several
        }
      }
    }
  }

  /// A session that has something to be sent, each once per turn; nil when the turn is over.
  public mutating func nextDue() -> SessionID? {
    if let session = nextWatcher() { return session }
    while queueHead < queue.count {
      let session = SessionID(raw: queue[queueHead])
      queueHead += 1
      sessions[session].isQueued = false
      switch sessions[session].delivery {
      case .live, .behind: return session
      case .closed, .greeting, .idle, .held: continue
      }
    }
    finishTurn()
    return nil
  }

  /// The next live watcher of the only pattern that has changed. From the last to the first: whoever leaves the list on the
  /// way is replaced by one that was handed out, or that has everything.
  @inline(__always)
  private mutating func nextWatcher() -> SessionID? {
    guard walk.rest > 0 else { return nil }
    walk.rest = min(walk.rest, patterns[walk.pattern].watchers.count)
    while walk.rest > 0 {
      walk.rest -= 1
      let session = SessionID(raw: sessions[watch: patterns[walk.pattern].watchers[walk.rest]].session)
      if sessions[session].position >= log.head { continue }
      sessions[session].mark = walk.pattern
      return session
    }
    return nil
  }

  private mutating func finishTurn() {
    queue.removeAll()
    queueHead = 0
    walk.rest = 0
    offer = .nothing
    run = TurnRun()
    wantsTurnEnd = false
    // Also if all that the turn noted was taken back.
    patterns.endTurn(stores: stores)
    if turnStart == log.head { return }
    turnStart = log.head
    turnSlot = -1
    turnHasGroup = false
  }
}
