// The end of a turn: which sessions its changes concern. It decides; `Delivery` assembles the bytes.

import HubCore

/// A walk through the watchers of one pattern. It needs no pass over the sessions before the first one is served.
struct WatcherWalk {
  var pattern: Int32 = -1
  /// How many watchers, from the front of the list, have not been handed out.
  var rest = 0
}

extension Feed {
  /// Finds the sessions that follow what changed. Then `nextDue` hands them out.
  mutating func sealTurn() {
    if patterns.changed.count == 1 {
      let pattern = patterns.changed[0]
      if patterns[pattern].turn.isEmpty { return }
      walk = WatcherWalk(pattern: pattern, rest: patterns[pattern].watchers.count)
    } else {
      collectDue()
    }
  }

  /// A session may follow several of the changed patterns: it is due once, with all of them.
  private mutating func collectDue() {
    for index in patterns.changed.indices where !patterns[patterns.changed[index]].turn.isEmpty {
      let pattern = patterns.changed[index]
      for place in patterns[pattern].watchers.indices {
        let session = SessionID(raw: sessions[watch: patterns[pattern].watchers[place]].session)
        let due = sessions[session].dueIndex
        if due == Subscriber.notDue {
          sessions[session].dueIndex = pattern
          enqueue(session)
        } else if due != pattern {
          sessions[session].dueIndex = Subscriber.several
        }
      }
    }
  }

  /// A session that is due, each once per turn; nil when there are no more.
  ///
  /// - Parameter head: of the change log.
  @inline(__always)
  mutating func nextDue(_ head: UInt64) -> SessionID? {
    if let session = nextWatcher(head) { return session }
    return queueHead < queue.count ? nextQueued() : nil
  }

  @inline(never)
  private mutating func nextQueued() -> SessionID? {
    while queueHead < queue.count {
      let session = SessionID(raw: queue[queueHead])
      queueHead += 1
      sessions[session].isQueued = false
      switch sessions[session].delivery {
      case .live, .behind: return session
      case .closed, .greeting, .idle, .paused: continue
      }
    }
    return nil
  }

  /// The next live watcher of the only pattern that changed, from the last to the first: a watcher that leaves the list
  /// meanwhile is replaced by one that was handed out or has everything.
  @inline(__always)
  private mutating func nextWatcher(_ head: UInt64) -> SessionID? {
    var rest = walk.rest
    if rest == 0 { return nil }
    let pattern = walk.pattern
    rest = min(rest, patterns[pattern].watchers.count)
    while rest > 0 {
      rest -= 1
      let session = SessionID(raw: sessions[watch: patterns[pattern].watchers[rest]].session)
      if sessions[session].position >= head { continue }
      sessions[session].dueIndex = pattern
      walk.rest = rest
      return session
    }
    walk.rest = 0
    return nil
  }

  /// No session has anything to receive, and there is nothing to tidy up.
  @inline(__always)
  var isQuiet: Bool { patterns.changed.isEmpty && queue.isEmpty && !patterns.isUntidy }

  /// No session is due any more.
  var isHandedOut: Bool { walk.rest == 0 && queueHead == queue.count }

  /// Every due session was handed out: forgets what the turn noted, even if all of it was undone.
  mutating func endTurn(_ stores: inout Stores) {
    queue.removeAll()
    queueHead = 0
    walk.rest = 0
    offer = .nothing
    run = TurnRun()
    patterns.endTurn(stores: &stores)
  }

  /// The same for a turn in which no session was due.
  @inline(__always)
  mutating func endQuietTurn(_ stores: inout Stores) {
    if patterns.hasUntended { patterns.endTurn(stores: &stores) }
  }
}
