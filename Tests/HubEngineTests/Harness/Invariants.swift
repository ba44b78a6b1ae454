// What must hold between two turns, in each of the engine's parts and between them: the harnesses check it after every
// turn.

@testable import HubCore
@testable import HubEngine

extension HubEngine {
  /// Which invariants are broken, and how; the turn has ended.
  func brokenInvariants() -> [String] {
    var broken: [String] = []
    stores.check(&broken)
    history.check(&broken)
    feed.check(&broken, stores, head: history.log.head)
    if attention.hasFilters != !feed.filters.isEmpty { broken.append("Engine: filters are overlooked") }
    ledger.check(&broken, stores, revision: history.revision)
    checkAccounts(&broken)
    feed.checkDeadlines(&broken)
    checkWatchers(&broken)
    return broken
  }

  /// Once all have been counted.
  private func checkWatchers(_ broken: inout [String]) {
    guard feed.patterns.followsUse, feed.patterns.newUses.isEmpty, !claims.isCounting else { return }
    var watchers: [UInt32: [UInt32]] = [:]
    for index in 0..<feed.patterns.limit {
      let least = feed.leastInterval(of: index)
      for number in feed.patterns[index].claims { watchers[number, default: []].append(least) }
      if !feed.patterns.isUsed(index), !feed.patterns[index].claims.isEmpty {
        broken.append("Claims: a pattern that nobody watches is a watcher")
      }
    }
    for claim in claims.all {
      let found = watchers[claim.number] ?? []
      if claim.watchers.count != found.count || claim.watchers.least != found.min() ?? 0
        || claim.hasNewWatchers
      {
        broken.append("Claims: \(claim.offer.name) has the watchers \(found), it says \(claim.watchers)")
      }
    }
  }
}

extension Feed {
  /// Of all watches that use a pattern, by looking at each.
  fileprivate func leastInterval(of index: Int32) -> UInt32 {
    var (watch, intervals) = (patterns[index].firstWatch, [UInt32]())
    while watch >= 0 {
      intervals.append(sessions[watch: watch].interval)
      watch = sessions[watch: watch].nextOfPattern
    }
    return intervals.min() ?? 0
  }
}

extension Stores {
  fileprivate func check(_ broken: inout [String]) {
    var (count, bytes, deadlines) = (0, 0, 0)
    var owned: [Int32: [StoreID]] = [:]
    for slot in 0..<used where self[slot].id.raw != 0 {
      count += 1
      bytes += value(of: slot).bytes.count
      if self[slot].deadline != 0 { deadlines += 1 }
      if self[slot].owner >= 0 { owned[self[slot].owner, default: []].append(self[slot].id) }
      if (self[slot].deadlinePlace >= 0) != (self[slot].deadline != 0)
        || (self[slot].ownerPlace >= 0) != (self[slot].owner >= 0)
      {
        broken.append("Stores: the value of slot \(slot) ends, and is not found, or the other way round")
      }
      let name = name(of: slot)
      if find(name) != slot || find(self[slot].id) != slot {
        broken.append("Stores: \(name.text) is not found")
      }
      if self[slot].type != schema(of: slot).type { broken.append("Stores: \(name.text) has two types") }
    }
    if count != self.count { broken.append("Stores: \(count) stores, it says \(self.count)") }
    if bytes != valueBytes { broken.append("Stores: \(bytes) bytes of values, it says \(valueBytes)") }
    if deadlines != lifetimes.deadlines.count {
      broken.append("Stores: \(deadlines) deadlines, it says \(lifetimes.deadlines.count)")
    }
    for (session, ids) in owned where Set(self.owned(by: SessionID(raw: session))) != Set(ids) {
      broken.append("Stores: session \(session) owns \(ids), and others are found")
    }
    if Set(freeSlots).count != freeSlots.count || freeSlots.count != used - count {
      broken.append("Stores: \(freeSlots.count) free slots of \(used), with \(count) stores")
    }
  }
}

extension History {
  fileprivate func check(_ broken: inout [String]) {
    if turn.start != log.head || turn.isFull || turn.hasGroup || turn.slot != TurnSpan.nothing {
      broken.append("History: the turn has not ended")
    }
    if log.tail > log.head || log.head - log.tail > UInt64(log.capacity) {
      broken.append("History: the log goes from \(log.tail) to \(log.head)")
    }
    if log.tailRevision > revision, log.tailRevision != .max {
      broken.append("History: the log begins later than it ends")
    }
    var last = (position: removals.floor, revision: removals.floorRevision)
    removals.forEach { entry in
      if entry.position <= last.position && last.position > 0 || entry.removal.revision < last.revision
        || entry.position > log.head || entry.removal.revision > revision
      {
        broken.append("History: the removal of \(entry.name) is out of order")
      }
      last = (entry.position, entry.removal.revision)
    }
  }
}

extension Feed {
  fileprivate func check(_ broken: inout [String], _ stores: borrowing Stores, head: UInt64) {
    var references: [Int32: Int] = [PatternTable.everything: 1]
    var live: [Int32: Int] = [:]
    for case .watch(let progress) in unfinished.values {
      for watch in progress.watches { references[sessions[watch: watch].pattern, default: 0] += 1 }
    }
    if !pending.isEmpty || isLagging { broken.append("Feed: changes of a turn are not noted") }
    var (open, watches) = (0, 0)
    for raw in 0..<sessions.limit {
      let session = SessionID(raw: raw)
      let subscriber = sessions[session]
      if subscriber.delivery != .closed { open += 1 }
      if subscriber.isQueued { broken.append("Feed: session \(raw) is queued behind the turn") }
      if subscriber.delivery == .live, subscriber.isIntroducing {
        broken.append("Feed: session \(raw) is live, and still introduced to a watch")
      }
      if subscriber.position > head { broken.append("Feed: session \(raw) is ahead of the log") }
      var count = 0
      sessions.forEachWatch(of: session) { index, watch in
        count += 1
        references[watch.pattern, default: 0] += 1
        if patterns[watch.pattern].audience != sessions.audience(of: session) {
          broken.append("Feed: session \(raw) follows what others may read")
        }
        let isPlaced =
          watch.place >= 0 && Int(watch.place) < patterns[watch.pattern].watchers.count
          && patterns[watch.pattern].watchers[Int(watch.place)] == index
        if isPlaced { live[watch.pattern, default: 0] += 1 }
        let isLed = watch.place == Watch.isLed && isBehindLeader(watch, filters[session]?.filter)
        if (isPlaced || isLed) != (subscriber.delivery == .live) {
          broken.append(
            "Feed: session \(raw), which is \(subscriber.delivery), has a watch at \(watch.place)")
        }
      }
      if (subscriber.policy == .filtered) != (filters[session] != nil) {
        broken.append("Feed: session \(raw) is \(subscriber.policy), its filter \(filters[session] == nil)")
      }
      watches += count
      switch subscriber.delivery {
      case .closed, .greeting, .idle: if count > 0 { broken.append("Feed: session \(raw) watches too early") }
      case .live, .behind: if count == 0 { broken.append("Feed: session \(raw) follows nothing") }
      case .resting:
        if count == 0 || filters[session] == nil { broken.append("Feed: session \(raw) rests in vain") }
      case .paused: break
      }
    }
    if open != sessions.count || watches != sessions.watchCount {
      broken.append(
        "Feed: \(open) sessions with \(watches) watches, it says \(sessions.count), \(sessions.watchCount)")
    }
    let rested = Set(resting.entries.map(\.key))
    let sleepers = (0..<sessions.limit).map { SessionID(raw: $0) }.filter {
      sessions[$0].delivery == .resting
    }
    if rested != Set(sleepers) || rested.count != resting.entries.count {
      broken.append("Feed: \(sleepers) rest, and \(rested) will be woken")
    }
    for index in 0..<patterns.limit {
      check(index, &broken, stores, references[index] ?? 0, live[index] ?? 0)
    }
  }

  /// Whether the watch is in the list of its group, behind a watch that is among the pattern's watchers.
  private func isBehindLeader(_ watch: Watch, _ filter: WatchFilter?) -> Bool {
    guard let filter, watch.previousInGroup >= 0 else { return false }
    var node = watch.previousInGroup
    while sessions[watch: node].place == Watch.isLed { node = sessions[watch: node].previousInGroup }
    return sessions[watch: node].place >= 0 && patterns[watch.pattern].groups[filter]?.leader == node
      && sessions[watch: watch.previousInGroup].pattern == watch.pattern
  }

  /// Checks that a pattern has each store that it matches once, at its last change.
  private func check(
    _ index: Int32, _ broken: inout [String], _ stores: borrowing Stores, _ references: Int, _ live: Int
  ) {
    let text = patterns[index].pattern.text
    if patterns[index].references != references || patterns[index].watchers.count != live {
      broken.append("Feed: \(text) has \(references) watches, \(live) of them live")
    }
    for (filter, group) in patterns[index].groups where sessions[watch: group.leader].place < 0 {
      broken.append("Feed: \(text) has a group of \(filter) without a leader")
    }
    if !patterns[index].turn.isEmpty { broken.append("Feed: \(text) still has changes of a turn") }
    if references == 0 || patterns[index].stage != .whole { return }
    var current: [Int32] = []
    var last: UInt64 = 0
    for place in 0..<patterns[index].order.count {
      let entry = patterns[index].order[place]
      if entry.position < last { broken.append("Feed: \(text) is out of order") }
      last = entry.position
      if entry.isCurrent(in: stores) { current.append(entry.slot) }
    }
    var matching: [Int32] = []
    for slot in 0..<stores.used
    where stores[slot].id.raw != 0 && patterns[index].pattern.matches(stores.name(of: slot))
      && stores.isVisible(slot, to: patterns[index].audience)
    {
      matching.append(Int32(slot))
    }
    if current.sorted() != matching || patterns[index].order.members != matching.count {
      broken.append("Feed: \(text) holds \(current.sorted()), it matches \(matching)")
    }
  }
}

extension Ledger {
  fileprivate func check(_ broken: inout [String], _ stores: borrowing Stores, revision: Revision) {
    if awaitsJournal || undo.isTransaction || !undo.entries.isEmpty
      || !undo.frames.isEmpty
    {
      broken.append("Ledger: something can still be taken back")
    }
    if !outbox.bytes.isEmpty { broken.append("Ledger: the outbox holds \(outbox.bytes.count) bytes") }
    if journals, outbox.reserved.revision < revision || outbox.reserved.serial < stores.lastSerial {
      broken.append("Ledger: numbers were given out that are not reserved")
    }
  }
}
