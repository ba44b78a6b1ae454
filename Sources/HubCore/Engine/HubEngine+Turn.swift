// The end of a turn: who has to hear of its changes. It decides; `HubEngine+Delivery` puts the bytes together.

extension HubEngine {
  /// Marks the sessions that follow what changed. Afterwards `nextDue` hands them out.
  public mutating func endTurn() {
    counters.turns &+= 1
    guard log.head > turnStart else { return }
    turnChangesEnd = log.head
    if turnSlot == -2 || turnHasGroup, sessions.watchCount > 0 {
      let length = Frame.headerLength + 8
      scratch.clear()
      HubEvent.synced(revision: revision).encode(into: &scratch)
      log.append(length)?.copyMemory(from: scratch.base, byteCount: length)
    }
    for pattern in patterns.changed where !patterns[pattern].turn.isEmpty {
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

  private mutating func finishTurn() {
    queue.removeAll(keepingCapacity: true)
    queueHead = 0
    offer = .nothing
    scratchPattern = nil
    if turnStart == log.head { return }
    patterns.endTurn(stores: stores)
    turnStart = log.head
    turnSlot = -1
    turnHasGroup = false
  }
}
