// Catching up: the first snapshot, a connection that did not read, a bookmark. One mechanism, with no state but positions.
//
// A session behind has one position: everything up to it was sent. A new watch first gets those of its stores that last
// changed up to that position (its snapshot). Then the session walks all of its watches to the head of the log: through the log itself if it asks for
// every change and the log still has them, otherwise through the stores in order of their last change.

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
    if isFiltered(session) { beginFiltered() }
    // `isLost` is about this session: it was set while its turn was assembled, or by an earlier try to catch up.
    if isLost || hasForgotten(since: session, history.removals.floor, &effort) {
      effort.spend(Cost.membership * sessions.watchCount(of: session))
      forget(session, history.log.head)
    }
    isLost = false
    if !news.isEmpty {
      guard learnNews(session, history.log.head, &stores, &effort) else {
        return passOver(session, &history, &stores)
      }
      if !appendWithdrawals(session, stores, &effort), !isLost {
        if !scratch.isEmpty { sessions[session].owesSync = true }
        return batch(session, &history, &stores)
      }
    }
    if sessions[session].mustForget {
      HubEvent.forget(history.epoch, revision: history.revision).encode(into: &scratch)
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .forgot))
    }
    let isIntroduced = !isLost && appendSnapshots(session, &history, &stores, &effort)
    if isIntroduced, !isLost, scratchFrames.isEmpty, let run = nextRun(session, history, stores, &effort) {
      (offer, logRun) = (.run, run)
      return run.bytes
    }
    let isDone =
      isIntroduced && !isLost && appendChanges(session, &history, &stores, &effort)
      && appendSilences(session, history, &stores, &effort)
    // Nothing of this batch was sent. The next one examines no removals.
    if isLost { return catchUp(session, &history, &stores, &work) }
    if isDone {
      appendEnd(session, history)
    } else {
      // This may be the only thing left to send.
      sessions[session].owesSync = true
    }
    return batch(session, &history, &stores)
  }

  /// Offers what was assembled.
  private mutating func batch(
    _ session: SessionID, _ history: inout History, _ stores: inout Stores
  ) -> ByteView {
    if scratch.isEmpty { return passOver(session, &history, &stores) }
    offer = .catchUp(count: scratch.count)
    return scratch.view
  }

  /// Nothing to send: any progress takes effect at once.
  private mutating func passOver(
    _ session: SessionID, _ history: inout History, _ stores: inout Stores
  ) -> ByteView {
    offer = .catchUp(count: 0)
    _ = sent(0, to: session, &history, &stores)
    // It has only skipped changes that do not concern it, and continues after the others have had their turn.
    if sessions[session].delivery == .behind, crowded != session { enqueue(session) }
    return nothing
  }

  /// The session must be reset, and gets everything again.
  mutating func forget(_ session: SessionID, _ head: UInt64) {
    startOver(session, head)
    sessions[session].mustForget = true
    sessions[session].owesSync = true
    if !news.isEmpty { news[session]?.lost = [] }
  }

  /// Whether removals that the session has not been sent are forgotten.
  private func hasForgotten(since session: SessionID, _ floor: UInt64, _ effort: inout Effort) -> Bool {
    if sessions[session].position < floor { return true }
    guard sessions[session].isIntroducing else { return false }
    effort.spend(Cost.passed * sessions.watchCount(of: session))
    var isForgotten = false
    sessions.forEachWatch(of: session) { _, watch in
      isForgotten = isForgotten || watch.removals < floor
    }
    return isForgotten
  }

  /// The batch is complete, although there is more. Each walk takes at least one step.
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
    // The patterns of one request are adjacent. A later one leaves out values that an earlier one has shown.
    var first = watch
    patterns.beginStamping()
    while watch >= 0 {
      effort.spend(Cost.passed)
      if sessions[watch: watch].request != sessions[watch: first].request {
        first = watch
        patterns.beginStamping()
      }
      if watch == first, sessions[watch: watch].removals < .max {
        guard appendRemovals(watch, of: session, upTo: limit, history, stores, &effort) else { return false }
        scratchFrames.append(ScratchFrame(end: scratch.count, progress: .removals(watch: watch, .max)))
        patterns.beginStamping()
      }
      if sessions[watch: watch].snapshot < .max {
        guard appendSnapshot(watch, of: session, upTo: limit, &stores, &effort) else { return false }
        scratchFrames.append(ScratchFrame(end: scratch.count, progress: .snapshot(watch: watch, .max)))
      }
      patterns.stamp(sessions[watch: watch].pattern)
      watch = sessions[watch: watch].next
    }
    return true
  }

  /// What was removed since the bookmark of a request, before the current values: a name may have another store by now.
  ///
  /// - Parameter first: the first of the request's watches.
  /// - Returns: whether that was all.
  private mutating func appendRemovals(
    _ first: Int32, of session: SessionID, upTo limit: UInt64, _ history: borrowing History,
    _ stores: borrowing Stores, _ effort: inout Effort
  ) -> Bool {
    let (start, request) = (sessions[watch: first].removals, sessions[watch: first].request)
    patterns.beginStamping()
    var end = first
    while end >= 0, sessions[watch: end].request == request {
      effort.spend(Cost.passed)
      patterns.stamp(sessions[watch: end].pattern)
      end = sessions[watch: end].next
    }
    var position = start
    while let removal = history.removals.next(after: position), removal.position <= limit {
      if isLost || position > start && hasEnough(effort) {
        scratchFrames.append(ScratchFrame(end: scratch.count, progress: .removals(watch: first, position)))
        return false
      }
      effort.spend(Cost.found)
      position = removal.position
      guard stores.isVisible(removal, to: sessions.audience(of: session)),
        isMatched(removal.name, by: session, from: first, to: end, &effort)
      else { continue }
      appendRemoval(removal)
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .removals(watch: first, position)))
    }
    return true
  }

  /// Those before this watch of the same request are stamped: their stores were shown.
  private mutating func appendSnapshot(
    _ watch: Int32, of session: SessionID, upTo limit: UInt64, _ stores: inout Stores, _ effort: inout Effort
  ) -> Bool {
    let pattern = sessions[watch: watch].pattern
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
      effort.spend(Cost.membership)
      guard index < patterns[pattern].order.count, case let entry = patterns[pattern].order[index],
        entry.position <= limit
      else { return true }
      position = entry.position
      if patterns.isStamped(stores[Int(entry.slot)], &effort) { continue }
      appendCurrent(Int(entry.slot), to: session, &stores)
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .snapshot(watch: watch, position)))
    }
  }

  /// A removal among current values: the view is incomplete until the `synced` that follows.
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
    let silence = isFiltered(session) ? silence(of: stores[slot].id.raw, for: session) : nil
    if silence != nil { marked.insert(stores[slot].id.raw) }
    let frame = scratch.extend(length)
    stores[slot].writePrefix(
      to: frame, EventKind.current.rawValue, flags: EventLayout.flags(silence), request: 0, length: length)
    let body = frame + EventLayout.body
    body.storeBytes(of: UInt8(name.count), as: UInt8.self)
    (body + 1).copyMemory(from: name.base, byteCount: name.count)
    value.write(to: body + 1 + name.count)
  }

  // MARK: What concerns a session

  mutating func stampPatterns(of session: SessionID, _ effort: inout Effort) {
    effort.spend(Cost.membership * sessions.watchCount(of: session))
    patterns.beginStamping()
    var node = sessions[session].firstWatch
    while node >= 0 {
      patterns.stamp(sessions[watch: node].pattern)
      node = sessions[watch: node].next
    }
  }

  /// Whether a frame of the log concerns the session whose patterns were stamped.
  mutating func isDue(
    _ frame: FrameView, to session: SessionID, _ history: borrowing History, _ stores: borrowing Stores,
    _ effort: inout Effort
  ) -> Bool {
    switch EventKind(rawValue: frame.rawKind) {
    case .change, .created:
      let id = StoreID(raw: frame.bytes[EventLayout.store])
      if let slot = stores.find(id) { return patterns.isStamped(stores[slot], &effort) }
      // The store no longer exists; its remembered name decides.
      guard let removal = history.removals.entry(of: id) else { return false }
      return watches(session, removal, stores, &effort)
    case .removed:
      let id = StoreID(raw: frame.bytes[EventLayout.store])
      if let removal = history.removals.entry(of: id) { return watches(session, removal, stores, &effort) }
      // A forgotten removal: sessions that may not read everything are reset, see `hasForgotten`.
      let name = frame.bytes.slice(EventLayout.body + 1, Int(frame.bytes[EventLayout.body]))
      return sessions.audience(of: session) == Permissions.everything
        && isMatched(StoreName(checked: name), by: session, &effort)
    case .current, .synced, .resumed, .forget, .ended, .forward, .withdraw, .ask, nil: return false
    }
  }

  /// Whether the session, whose patterns were stamped, gets a removal.
  mutating func watches(
    _ session: SessionID, _ removal: Removals.Entry, _ stores: borrowing Stores, _ effort: inout Effort
  ) -> Bool {
    stores.isVisible(removal, to: sessions.audience(of: session))
      && isMatched(removal.name, by: session, &effort)
  }

  /// Whether one of the session's patterns, which were stamped, matches the name of a store that is gone. Sets `isLost` if it
  /// would take too long to find out.
  mutating func isMatched(_ name: StoreName, by session: SessionID, _ effort: inout Effort) -> Bool {
    isMatched(name, by: session, from: sessions[session].firstWatch, to: -1, &effort)
  }

  /// So many patterns are compared one by one, so that others' patterns do not matter to a client that watches little.
  private static let fewPatterns = 16

  /// - Parameters:
  ///   - first: the beginning of the part of the session's list that was stamped.
  ///   - end: what comes after it.
  private mutating func isMatched(
    _ name: StoreName, by session: SessionID, from first: Int32, to end: Int32, _ effort: inout Effort
  ) -> Bool {
    let text = Array(name.text.utf8)
    var (node, left) = (first, Feed.fewPatterns)
    while node != end, left > 0 {
      let pattern = sessions[watch: node].pattern
      effort.spend(Cost.match(text.count, patterns[pattern].pattern))
      if text.withByteView({ patterns[pattern].pattern.matches($0) }) { return true }
      (node, left) = (sessions[watch: node].next, left - 1)
    }
    if node == end { return false }
    let isStamped = patterns.isStamped(name, for: sessions.audience(of: session), &effort)
    if isStamped == nil { isLost = true }
    return isStamped ?? false
  }
}
