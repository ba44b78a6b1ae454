// The end of a turn: finds the sessions that its changes concern. `Delivery` assembles the bytes.

import HubCore

/// A walk through the watchers of one pattern. It needs no pass over the sessions before the first one is served.
struct WatcherWalk {
  var pattern: Int32 = -1
  /// How many watchers, from the front of the list, have not been handed out.
  var rest = 0
}

/// How far the watchers of several patterns were examined. No session is served before all of them were.
struct DueSearch {
  /// The next of the turn's changed patterns; `.max`: there is nothing to look for.
  var next = Int.max
  /// How many of its watchers, from the front of the list, were not looked at; -1: none was.
  var rest = -1
}

extension Feed {
  /// The sessions that follow what changed are due: `nextDue` hands them out, once `findDue` has found them.
  mutating func sealTurn() {
    if patterns.changed.count == 1 {
      let pattern = patterns.changed[0]
      if patterns[pattern].turn.isEmpty { return }
      walk = WatcherWalk(pattern: pattern, rest: patterns[pattern].watchers.count)
    } else if !patterns.changed.isEmpty {
      search = DueSearch(next: 0)
    }
  }

  var isSearching: Bool { @inline(__always) get { search.next != .max } }

  /// A session may follow several of the changed patterns: it is due once, with all of them. Watchers are examined from
  /// the last to the first: one that leaves the list in the meantime is replaced by one that was examined.
  ///
  /// - Returns: whether all are found; if not, the work budget is spent.
  mutating func findDue(_ effort: inout Effort) -> Bool {
    while search.next < patterns.changed.count {
      let pattern = patterns.changed[search.next]
      var rest = patterns[pattern].turn.isEmpty ? 0 : patterns[pattern].watchers.count
      if search.rest >= 0 { rest = min(rest, search.rest) }
      while rest > 0 {
        if effort.isSpent {
          search.rest = rest
          return false
        }
        rest -= 1
        note(due: SessionID(raw: sessions[watch: patterns[pattern].watchers[rest]].session), pattern)
        effort.spend(Cost.passed)
      }
      search = DueSearch(next: search.next + 1)
      effort.spend(Cost.membership)
    }
    search = DueSearch()
    return true
  }

  mutating func note(due session: SessionID, _ pattern: Int32) {
    let due = sessions[session].dueIndex
    if due == Subscriber.notDue {
      sessions[session].dueIndex = pattern
      enqueue(session)
    } else if due != pattern {
      sessions[session].dueIndex = Subscriber.several
    }
  }

  /// A session that is due, each once per turn; nil when there are no more, or when the rest takes another step (`isHandedOut`).
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
      case .closed, .greeting, .idle, .paused, .resting: continue
      }
    }
    return nil
  }

  /// The next live watcher of the only pattern that changed, from the last to the first: a watcher that leaves the list
  /// in the meantime is replaced by one that was handed out or has everything.
  @inline(__always)
  private mutating func nextWatcher(_ head: UInt64) -> SessionID? {
    var rest = walk.rest
    if rest == 0 { return nil }
    let pattern = walk.pattern
    rest = min(rest, patterns[pattern].watchers.count)
    var passed = 0
    while rest > 0 {
      rest -= 1
      let session = SessionID(raw: sessions[watch: patterns[pattern].watchers[rest]].session)
      if sessions[session].position < head {
        sessions[session].dueIndex = pattern
        walk.rest = rest
        return session
      }
      passed += 1
      if passed >= mostPassed { break }
    }
    walk.rest = rest
    return nil
  }

  /// No session has anything to receive, and there is nothing to clean up.
  @inline(__always)
  var isQuiet: Bool { patterns.changed.isEmpty && queue.isEmpty && !patterns.isUntidy }

  /// No session is still due.
  var isHandedOut: Bool { walk.rest == 0 && queueHead == queue.count && !isSearching }

  /// Every due session was handed out: forgets what the turn noted, even if all of it was undone.
  ///
  /// - Returns: whether all is forgotten; if not, the work budget is spent.
  mutating func endTurn(_ stores: inout Stores, _ effort: inout Effort) -> Bool {
    queue.removeAll()
    queueHead = 0
    walk.rest = 0
    offer = .nothing
    run = TurnRun()
    return patterns.endTurn(stores: &stores, &effort)
  }

  /// The same for a turn in which no session was due. What is left waits for the next turn.
  @inline(__always)
  mutating func endQuietTurn(_ stores: inout Stores, stepWork: Int) {
    if patterns.hasUntended { tendPatterns(&stores, stepWork) }
  }

  @inline(never)
  private mutating func tendPatterns(_ stores: inout Stores, _ stepWork: Int) {
    var effort = Effort(stepWork)
    _ = patterns.endTurn(stores: &stores, &effort)
  }
}
