// Which claims have watchers, and the shortest interval that these ask for. The claims' state shows both, so providers can pause while there are no
// watchers, and need not measure more often than requested.
//
// A pattern in use is a watcher of each claim with a store, existing or not, that it can match and that its users may read.
// It remembers the claims that it was counted for, and with which interval, so that it can be removed from them whatever has changed since.

import HubCore

extension HubEngine {
  /// Counts watchers, and publishes for which claims there are some now, or none any more.
  ///
  /// - Parameter enough: the work after which the rest waits for the next turn.
  mutating func followWatchers(until enough: Int, now: Instant) {
    guard !claims.all.isEmpty else { return feed.patterns.ignoreUse() }
    feed.patterns.followsUse = true
    countWatchers(until: enough)
    guard claims.isCounting, feed.patterns.newUses.isEmpty else { return }
    for place in claims.all.indices {
      work &+= Cost.passed
      while claims.all[place].searched < feed.patterns.limit {
        if work >= enough { return }
        search(claims.all[place].searched, for: place)
        claims.all[place].searched += 1
      }
      // Later patterns are counted when they are added.
      claims.all[place].searched = .max
      guard claims.all[place].hasNewWatchers else { continue }
      if work >= enough { return }
      work &+= Cost.write
      claims.all[place].isWatched = claims.all[place].watchers.count > 0
      claims.all[place].interval = claims.all[place].watchers.least
      publish(claim: place, now: now)
    }
    claims.isCounting = false
  }

  /// Counts the patterns that have come into use, are no longer used, or are used with another interval.
  mutating func countWatchers(until enough: Int) {
    while work < enough, let index = feed.patterns.takeNewUse() {
      guard feed.patterns.isUsed(index) else {
        forget(index)
        continue
      }
      let isKnown = feed.patterns[index].counted != nil
      renewInterval(of: index)
      if isKnown { continue }
      let pattern = feed.patterns[index].pattern
      if pattern.isLiteral {
        let place = Array(pattern.text.utf8).withByteView { claims.place(of: $0, &work) }
        if let place { count(index, as: pattern, for: place) }
      } else {
        for own in claims.patterns(meeting: pattern, &work) { count(index, as: own.pattern, for: own.claim) }
      }
    }
  }

  /// A pattern may have been in use before the claim began.
  private mutating func search(_ index: Int32, for place: Int) {
    work &+= Cost.passed
    guard feed.patterns.isUsed(index) else { return }
    let pattern = feed.patterns[index].pattern
    for own in claims.all[place].offer.patterns where own.mayMeet(pattern) {
      work &+= Cost.meeting(own, pattern)
      if own.meets(pattern) { count(index, as: own, for: place) }
    }
  }

  /// - Parameter own: what the pattern meets of the claim.
  private mutating func count(_ index: Int32, as own: NamePattern, for place: Int) {
    let number = claims.all[place].number
    work &+= Cost.passed &* feed.patterns[index].claims.count
    guard !feed.patterns[index].claims.contains(number),
      stores.permissions.mayRead(
        own, feed.patterns[index].pattern, feed.patterns[index].audience,
        createdBy: claims.all[place].owner, &work)
    else { return }
    // Most claims of a pattern that has long been in use may have ended.
    if feed.patterns[index].claims.count > 2 * claims.all.count {
      feed.patterns[index].claims = feed.patterns[index].claims.filter { claims.place(numbered: $0) != nil }
    }
    renewInterval(of: index)
    feed.patterns[index].claims.append(number)
    changeWatchers(of: place, add: feed.patterns[index].counted)
  }

  /// The claims that count a pattern learn its least interval.
  private mutating func renewInterval(of index: Int32) {
    work &+= feed.patterns[index].uses.cost
    let (before, least) = (feed.patterns[index].counted, feed.patterns[index].uses.least)
    if before == least { return }
    feed.patterns[index].counted = least
    for number in feed.patterns[index].claims {
      work &+= Cost.passed
      if let place = claims.place(numbered: number) { changeWatchers(of: place, remove: before, add: least) }
    }
  }

  private mutating func forget(_ index: Int32) {
    for number in feed.patterns[index].claims {
      work &+= Cost.passed
      if let place = claims.place(numbered: number) {
        changeWatchers(of: place, remove: feed.patterns[index].counted)
      }
    }
    feed.patterns[index].claims = []
    feed.patterns[index].counted = nil
  }

  private mutating func changeWatchers(of place: Int, remove: UInt32? = nil, add: UInt32? = nil) {
    work &+= claims.all[place].watchers.cost
    if let remove { claims.all[place].watchers.remove(remove) }
    if let add { claims.all[place].watchers.add(add) }
    if claims.all[place].hasNewWatchers { claims.isCounting = true }
  }
}

extension NamePattern {
  /// False if no name begins as both do: most comparisons end here.
  func mayMeet(_ other: NamePattern) -> Bool {
    guard case .literal(let one)? = components.first, case .literal(let another)? = other.components.first
    else { return true }
    return one == another
  }
}

extension Cost {
  /// Two patterns that are compared component by component.
  static func meeting(_ one: NamePattern, _ other: NamePattern) -> Int {
    passed &* (1 + one.components.count) &* (1 + other.components.count)
  }
}
