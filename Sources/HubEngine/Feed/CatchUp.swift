// Catching up: the first snapshot, a connection that did not read, a bookmark. One mechanism, with no state but positions.
//
// A session behind has one position: everything up to it was sent. A new watch first gets those of its stores that last
// changed up to that position (its snapshot). Then the session walks all of its watches to the head of the log: through the
// log itself if it wants every change and the log still has them, else through the stores in order of their last change.

import HubCore

extension Feed {
  /// The frame that reaches this length ends the batch.
  private static let batchBytes = 64 << 10

  /// - Parameter work: raised by what it has cost.
  mutating func catchUp(
    _ session: SessionID, _ history: inout History, _ stores: inout Stores, _ work: inout Int
  ) -> ByteView {
    beginScratch()
    var effort = Effort(batchWork)
    defer { work &+= effort.spent }
    if hasForgotten(since: session, history.removals.floor) {
      startOver(session, history.log.head)
      sessions[session].mustForget = true
    }
    guard withdrawals.isEmpty || appendWithdrawals(session) else {
      offer = .catchUp(count: scratch.count)
      return scratch.view
    }
    if sessions[session].mustForget {
      HubEvent.forget(history.epoch, revision: history.revision).encode(into: &scratch)
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .forgot))
    }
    let isIntroduced = appendSnapshots(session, &history, &stores, &effort)
    if isIntroduced, scratchFrames.isEmpty, let run = nextRun(session, history, stores, &effort) {
      (offer, logRun) = (.run, run)
      return run.bytes
    }
    if isIntroduced && appendChanges(session, &history, &stores, &effort) {
      appendEnd(session, history)
    } else {
      // There may be nothing more to send, except this.
      sessions[session].owesSync = true
    }
    if scratch.isEmpty {
      // Nothing to send: any progress takes effect at once.
      offer = .catchUp(count: 0)
      _ = sent(0, to: session, &history)
      // It only passed over what does not concern it, and goes on when the others had theirs.
      if sessions[session].delivery == .behind { enqueue(session) }
      return nothing
    }
    offer = .catchUp(count: scratch.count)
    return scratch.view
  }

  /// Whether removals that the session has not been sent are forgotten.
  private func hasForgotten(since session: SessionID, _ floor: UInt64) -> Bool {
    if sessions[session].position < floor { return true }
    guard sessions[session].isIntroducing else { return false }
    var isForgotten = false
    sessions.forEachWatch(of: session) { _, watch in
      isForgotten = isForgotten || watch.resumes && watch.snapshot < floor
    }
    return isForgotten
  }

  /// The batch is complete, although there is more. Each walk takes one step at least.
  func hasEnough(_ effort: Effort) -> Bool { isBatchFull || effort.isSpent }

  var isBatchFull: Bool { scratch.count >= Feed.batchBytes }

  private mutating func appendEnd(_ session: SessionID, _ history: borrowing History) {
    if sessions[session].owesSync || !scratch.isEmpty {
      HubEvent.synced(revision: history.revision).encode(into: &scratch)
    }
    scratchFrames.append(ScratchFrame(end: scratch.count, progress: .caughtUp(history.log.head)))
  }

  // MARK: Snapshots

  /// - Returns: whether all of them are complete.
  private mutating func appendSnapshots(
    _ session: SessionID, _ history: inout History, _ stores: inout Stores, _ effort: inout Effort
  ) -> Bool {
    let limit = sessions[session].position
    var watch = sessions[session].firstWatch
    // The patterns of one request are adjacent. A later one leaves out what an earlier one has shown.
    var first = watch
    patterns.beginStamping()
    while watch >= 0 {
      effort.spend(Cost.passed)
      if sessions[watch: watch].request != sessions[watch: first].request {
        first = watch
        patterns.beginStamping()
      }
      if sessions[watch: watch].snapshot < .max {
        guard appendSnapshot(watch, of: session, behind: first, upTo: limit, &history, &stores, &effort)
        else { return false }
        scratchFrames.append(ScratchFrame(end: scratch.count, progress: .snapshot(watch: watch, .max)))
      }
      patterns.stamp(sessions[watch: watch].pattern)
      watch = sessions[watch: watch].next
    }
    return true
  }

  /// - Parameter first: the first pattern of the same request. Those before this one are stamped: their stores were shown.
  private mutating func appendSnapshot(
    _ watch: Int32, of session: SessionID, behind first: Int32, upTo limit: UInt64, _ history: inout History,
    _ stores: inout Stores, _ effort: inout Effort
  ) -> Bool {
    let (pattern, resumes) = (sessions[watch: watch].pattern, sessions[watch: watch].resumes)
    let start = sessions[watch: watch].snapshot
    var position = start
    var index = patterns[pattern].order.index(after: position)
    while true {
      if position > start, hasEnough(effort) {
        scratchFrames.append(
          ScratchFrame(end: scratch.count, progress: .snapshot(watch: watch, position)))
        return false
      }
      index = currentIndex(in: pattern, from: index, after: position, stores, &effort)
      let entry = index < patterns[pattern].order.count ? patterns[pattern].order[index] : nil
      effort.spend(Cost.membership)
      if resumes, let removal = history.removals.next(after: position),
        removal.position < entry?.position ?? .max,
        removal.position <= limit
      {
        position = removal.position
        guard stores.isVisible(removal, to: patterns[pattern].audience),
          patterns[pattern].pattern.matches(removal.name),
          !isMatched(removal.name, from: first, to: watch)
        else { continue }
        appendRemoval(removal)
      } else if let entry, entry.position <= limit {
        position = entry.position
        if patterns.isStamped(stores[Int(entry.slot)]) { continue }
        appendCurrent(Int(entry.slot), to: session, &stores)
      } else {
        return true
      }
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .snapshot(watch: watch, position)))
    }
  }

  /// A removal among current values: the view is not whole before the `synced` that follows.
  mutating func appendRemoval(_ removal: Removals.Entry) {
    HubEvent.removed(name: removal.name.text, removal.removal, grouped: false, more: true)
      .encode(into: &scratch)
  }

  /// A store's current value, with its name, and its schema if the session asks for it.
  mutating func appendCurrent(_ slot: Int, to session: SessionID, _ stores: inout Stores) {
    if sessions[session].schemas {
      return stores.appendCreation(
        of: slot, to: &scratch, flags: stores[slot].ends ? EventLayout.transient : 0)
    }
    let (name, value) = (stores.name(of: slot), stores.value(of: slot))
    let length = EventLayout.body + 1 + name.count + value.encodedLength
    let frame = scratch.extend(length)
    stores[slot].writePrefix(to: frame, EventKind.current.rawValue, flags: 0, request: 0, length: length)
    let body = frame + EventLayout.body
    body.storeBytes(of: UInt8(name.count), as: UInt8.self)
    (body + 1).copyMemory(from: name.base, byteCount: name.count)
    value.write(to: body + 1 + name.count)
  }

  // MARK: What concerns a session

  mutating func stampPatterns(of session: SessionID) {
    patterns.beginStamping()
    var node = sessions[session].firstWatch
    while node >= 0 {
      patterns.stamp(sessions[watch: node].pattern)
      node = sessions[watch: node].next
    }
  }

  /// Whether a frame of the log concerns the session whose patterns were stamped.
  func isDue(
    _ frame: FrameView, to session: SessionID, _ history: borrowing History, _ stores: borrowing Stores
  ) -> Bool {
    switch EventKind(rawValue: frame.rawKind) {
    case .change, .created:
      let id = StoreID(raw: frame.bytes[EventLayout.store])
      if let slot = stores.find(id) { return patterns.isStamped(stores[slot]) }
      // The store is gone by now; its remembered name decides.
      return history.removals.entry(of: id).map { watches(session, $0, stores) } ?? false
    case .removed:
      let id = StoreID(raw: frame.bytes[EventLayout.store])
      if let removal = history.removals.entry(of: id) { return watches(session, removal, stores) }
      // A removal that is forgotten: who may not read everything is told to forget everything, see `hasForgotten`.
      let name = frame.bytes.slice(EventLayout.body + 1, Int(frame.bytes[EventLayout.body]))
      return sessions.audience(of: session) == Permissions.everything
        && isMatched(StoreName(checked: name), by: session)
    case .current, .synced, .resumed, .forget, .ended, .forward, .withdraw, nil: return false
    }
  }

  /// Whether the session is told of a removal.
  func watches(
    _ session: SessionID, _ removal: Removals.Entry, _ stores: borrowing Stores
  ) -> Bool {
    stores.isVisible(removal, to: sessions.audience(of: session))
      && isMatched(removal.name, by: session)
  }

  /// Whether one of the session's patterns matches.
  private func isMatched(_ name: StoreName, by session: SessionID) -> Bool {
    isMatched(name, from: sessions[session].firstWatch, to: -1)
  }

  /// Whether a pattern in this part of a session's list matches.
  func isMatched(_ name: StoreName, from first: Int32, to end: Int32) -> Bool {
    var node = first
    while node != end {
      if patterns[sessions[watch: node].pattern].pattern.matches(name) { return true }
      node = sessions[watch: node].next
    }
    return false
  }
}
