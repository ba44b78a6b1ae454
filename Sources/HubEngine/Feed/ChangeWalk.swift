// How a session that is behind walks the changes: through the log itself, or through the stores in order of their last
// change.

import HubCore

extension Feed {
  /// - Returns: whether it has reached the head.
  mutating func appendChanges(
    _ session: SessionID, _ history: inout History, _ stores: inout Stores, _ effort: inout Effort
  ) -> Bool {
    let position = sessions[session].position
    if position >= history.log.head { return true }
    let isFiltered = isFiltered(session)
    let walksLog = isFiltered ? filters[session]?.filter.comparesEach == true : sessions[session].every
    if walksLog, position >= history.log.tail {
      return appendFromLog(session, position, &history, &stores, &effort)
    }
    // This walk skips the creation of stores that changed again since. If the session returns to the log, it meets those
    // changes first, so they must carry the names.
    if !sessions[session].isIntroducing, !isFiltered { countCatchUp(of: session) }
    sessions[session].isIntroducing = true
    return appendFromOrder(session, position, &history, &stores, &effort)
  }

  private mutating func appendFromLog(
    _ session: SessionID, _ start: UInt64, _ history: inout History, _ stores: inout Stores,
    _ effort: inout Effort
  ) -> Bool {
    stampPatterns(of: session, &effort)
    let isIntroducing = sessions[session].isIntroducing
    let isFiltered = isFiltered(session)
    var position = start
    var isSynced = !sessions[session].owesSync
    while let next = history.log.next(after: position) {
      if position > start, hasEnough(effort) {
        scratchFrames.append(ScratchFrame(end: scratch.count, progress: .position(position)))
        return false
      }
      effort.spend(Cost.membership)
      position = next.end
      if next.frame.rawKind == EventKind.synced.rawValue {
        // While a new watch is introduced, only the end of the walk shows a state that existed.
        if isSynced || isIntroducing { continue }
        isSynced = true
        scratch.append(next.frame.bytes)
      } else {
        guard isDue(next.frame, to: session, history, stores, &effort) else { continue }
        if isFiltered, leavesOut(next.frame, for: session) { continue }
        isSynced = false
        if isIntroducing, next.frame.rawKind == EventKind.change.rawValue {
          appendNamed(next.frame, to: session, history, stores)
        } else {
          scratch.append(next.frame.bytes)
        }
      }
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .position(position)))
    }
    return true
  }

  /// A change from the log for a client that may not know the store's name yet. If the schema has changed since, the log
  /// says so later.
  private mutating func appendNamed(
    _ frame: FrameView, to session: SessionID, _ history: borrowing History, _ stores: borrowing Stores
  ) {
    let id = StoreID(raw: frame.bytes[EventLayout.store])
    let slot = stores.find(id)
    let name = slot.map { stores.name(of: $0).text } ?? history.removals.entry(of: id)?.name.text
    guard let name else { return }
    let schema = sessions[session].schemas ? slot.map { stores.schema(of: $0) } : nil
    let start = scratch.beginFrame((schema == nil ? EventKind.current : .created).rawValue)
    scratch.append(frame.bytes.slice(Frame.headerLength, EventLayout.length))
    scratch.append(short: name)
    if let schema { scratch.append(schema) }
    scratch.append(frame.bytes.suffix(from: EventLayout.body))
    scratch.endFrame(start)
  }

  /// Walks the stores of all the session's patterns, and the removals, merged by position.
  private mutating func appendFromOrder(
    _ session: SessionID, _ start: UInt64, _ history: inout History, _ stores: inout Stores,
    _ effort: inout Effort
  ) -> Bool {
    var position = start
    let isFiltered = isFiltered(session)
    findCursors(of: session, after: position, stores, &effort)
    while true {
      if position > start, hasEnough(effort) {
        scratchFrames.append(ScratchFrame(end: scratch.count, progress: .position(position)))
        return false
      }
      effort.spend(Cost.membership)
      let nearest = cursors.first
      if let removal = history.removals.next(after: position), removal.position < nearest?.position ?? .max {
        position = removal.position
        guard watches(session, removal, stores, &effort) else { continue }
        appendRemoval(removal)
      } else if let nearest {
        position = nearest.position
        // Patterns that match the same store stand at the same position.
        while let first = cursors.first, first.position == position { moveOn(stores, &effort) }
        if isFiltered, leavesOut(nearest.slot, for: session, stores) { continue }
        appendCurrent(nearest.slot, to: session, &stores)
      } else {
        return true
      }
      scratchFrames.append(ScratchFrame(end: scratch.count, progress: .position(position)))
    }
  }

  /// Begins a walk: each of the session's patterns, which are stamped, that has changes after `position` at the first of them.
  private mutating func findCursors(
    of session: SessionID, after position: UInt64, _ stores: borrowing Stores, _ effort: inout Effort
  ) {
    cursors.removeAll(keepingCapacity: true)
    patterns.beginStamping()
    var node = sessions[session].firstWatch
    while node >= 0 {
      let pattern = sessions[watch: node].pattern
      node = sessions[watch: node].next
      effort.spend(Cost.membership)
      patterns.stamp(pattern)
      let cursor = OrderCursor(pattern: pattern, index: patterns[pattern].order.index(after: position))
      if let cursor = firstCurrent(cursor, after: position, stores, &effort) { cursors.add(cursor) }
    }
  }

  /// The nearest cursor moves to its pattern's next change, or is dropped.
  private mutating func moveOn(_ stores: borrowing Stores, _ effort: inout Effort) {
    guard let first = cursors.first else { return }
    effort.spend(Cost.membership)
    if let next = firstCurrent(first, after: first.position, stores, &effort) {
      cursors.replaceFirst(with: next)
    } else {
      cursors.removeFirst()
    }
  }

  /// The cursor at the first change that is a store's last; nil: there is none.
  private func firstCurrent(
    _ cursor: OrderCursor, after position: UInt64, _ stores: borrowing Stores, _ effort: inout Effort
  ) -> OrderCursor? {
    let index = currentIndex(in: cursor.pattern, from: cursor.index, after: position, stores, &effort)
    guard index < patterns[cursor.pattern].order.count else { return nil }
    let entry = patterns[cursor.pattern].order[index]
    return OrderCursor(pattern: cursor.pattern, index: index, position: entry.position, slot: Int(entry.slot))
  }

  /// The index of a pattern's first current entry after `position`, at or after `index`; the count if there is none.
  func currentIndex(
    in pattern: Int32, from index: Int, after position: UInt64, _ stores: borrowing Stores,
    _ effort: inout Effort
  ) -> Int {
    var index = index
    while index < patterns[pattern].order.count {
      let entry = patterns[pattern].order[index]
      if entry.position > position, entry.isCurrent(in: stores) { break }
      effort.spend(Cost.passed)
      index += 1
    }
    return index
  }
}
