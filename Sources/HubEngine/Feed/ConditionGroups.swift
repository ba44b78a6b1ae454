// Live watches of one pattern whose only filter is the same condition: all of them have received the same values. One of them leads, and only that
// one is among the pattern's watchers; the others follow it in a list. So a change that the condition leaves out costs one comparison,
// for any number of them.

import HubCore

struct ConditionGroup {
  /// The first watch of the list.
  var leader: Int32
  /// The beginning of the turn in which the others were found due.
  var wokenIn = UInt64.max
}

extension Feed {
  /// What the session shares with others; nil: its watches are separate.
  private func sharedFilter(of session: SessionID) -> WatchFilter? {
    guard isFiltered(session), let filter = filters[session]?.filter, filter.comparesEach,
      filter.deadline == 0
    else { return nil }
    return filter
  }

  /// The watches of a session that becomes live are among the watchers of their patterns, or are led by others.
  mutating func joinWatchers(_ session: SessionID) {
    let filter = sharedFilter(of: session)
    var node = sessions[session].firstWatch
    while node >= 0 {
      join(node, filter)
      node = sessions[watch: node].next
    }
  }

  private mutating func join(_ index: Int32, _ filter: WatchFilter?) {
    let pattern = sessions[watch: index].pattern
    if let filter {
      if let leader = patterns[pattern].groups[filter]?.leader {
        let next = sessions[watch: leader].nextInGroup
        sessions[watch: index].place = Watch.isLed
        (sessions[watch: index].previousInGroup, sessions[watch: index].nextInGroup) = (leader, next)
        sessions[watch: leader].nextInGroup = index
        if next >= 0 { sessions[watch: next].previousInGroup = index }
        return
      }
      patterns[pattern].groups[filter] = ConditionGroup(leader: index)
    }
    sessions[watch: index].place = Int32(patterns[pattern].watchers.count)
    patterns[pattern].watchers.append(index)
  }

  /// Takes a watch out of its pattern's watchers, or from behind its leader.
  mutating func removeFromWatchers(_ index: Int32) {
    let watch = sessions[watch: index]
    let (pattern, place, next) = (watch.pattern, watch.place, watch.nextInGroup)
    if place == Watch.notLive { return }
    sessions[watch: index].place = Watch.notLive
    (sessions[watch: index].previousInGroup, sessions[watch: index].nextInGroup) = (-1, -1)
    if next >= 0 { sessions[watch: next].previousInGroup = watch.previousInGroup }
    if place == Watch.isLed {
      sessions[watch: watch.previousInGroup].nextInGroup = next
      return
    }
    let filter = patterns[pattern].groups.isEmpty ? nil : sharedFilter(of: SessionID(raw: watch.session))
    if next >= 0, let filter { return lead(next, at: place, of: pattern, filter) }
    if let filter { patterns[pattern].groups[filter] = nil }
    let last = patterns[pattern].watchers.removeLast()
    if last != index {
      patterns[pattern].watchers[Int(place)] = last
      sessions[watch: last].place = place
    }
  }

  /// The next watch of a group leads it. What the turn has changed may not have been compared for the group.
  private mutating func lead(_ next: Int32, at place: Int32, of pattern: Int32, _ filter: WatchFilter) {
    sessions[watch: next].place = place
    patterns[pattern].watchers[Int(place)] = next
    patterns[pattern].groups[filter]?.leader = next
    if !patterns[pattern].turn.isEmpty { note(due: SessionID(raw: sessions[watch: next].session), pattern) }
  }

  /// All watches that the session leads are due, if the turn has changed something for them.
  mutating func wakeLed(by session: SessionID, _ turn: TurnSpan, _ work: inout Int) {
    guard let filter = sharedFilter(of: session) else { return }
    var node = sessions[session].firstWatch
    while node >= 0 {
      let (pattern, isLeader) = (sessions[watch: node].pattern, sessions[watch: node].place >= 0)
      var member = sessions[watch: node].nextInGroup
      node = sessions[watch: node].next
      guard isLeader, member >= 0, !patterns[pattern].turn.isEmpty,
        patterns[pattern].groups[filter]?.wokenIn != turn.start
      else { continue }
      patterns[pattern].groups[filter]?.wokenIn = turn.start
      while member >= 0 {
        work &+= Cost.passed
        note(due: SessionID(raw: sessions[watch: member].session), pattern)
        member = sessions[watch: member].nextInGroup
      }
    }
  }
}
