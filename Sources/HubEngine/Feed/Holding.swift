// Which watches use a pattern, and which user is charged: the user of the first watch for the pattern and its members,
// each user for their own watches.

import HubCore

extension Feed {
  /// Begins to use a pattern for a watch, which begins once the pattern is complete.
  ///
  /// - Returns: the watch.
  mutating func hold(_ pattern: NamePattern, for watch: Watch, _ stores: inout Stores) -> Int32 {
    let index = sessions.add(watch)
    attach(watch: index, to: pattern, &stores)
    stores.accounts.add(charge(MemoryCost.watch, of: session(of: index)))
    return index
  }

  /// The same for a watch that is there and has no pattern.
  mutating func attach(watch index: Int32, to pattern: NamePattern, _ stores: inout Stores) {
    let place = patterns.retain(
      pattern, for: sessions.audience(of: session(of: index)), sessions[watch: index].interval)
    sessions[watch: index].pattern = place
    let first = patterns[place].firstWatch
    guard first >= 0 else {
      patterns[place].firstWatch = index
      return patterns.begin(place, paidBy: user(of: index), &stores)
    }
    // After the first, which continues to be charged.
    let next = sessions[watch: first].nextOfPattern
    sessions[watch: index].nextOfPattern = next
    sessions[watch: index].previousOfPattern = first
    sessions[watch: first].nextOfPattern = index
    if next >= 0 { sessions[watch: next].previousOfPattern = index }
  }

  /// A watch no longer uses its pattern.
  mutating func detach(watch index: Int32, _ stores: inout Stores) {
    let watch = sessions[watch: index]
    if watch.nextOfPattern >= 0 {
      sessions[watch: watch.nextOfPattern].previousOfPattern = watch.previousOfPattern
    }
    if watch.previousOfPattern >= 0 {
      sessions[watch: watch.previousOfPattern].nextOfPattern = watch.nextOfPattern
    } else {
      patterns[watch.pattern].firstWatch = watch.nextOfPattern
      if watch.nextOfPattern >= 0 {
        patterns.setPayer(user(of: watch.nextOfPattern), of: watch.pattern, &stores)
      }
    }
    sessions[watch: index].nextOfPattern = -1
    sessions[watch: index].previousOfPattern = -1
    patterns.release(watch.pattern, watch.interval)
  }

  /// Forgets a watch that has not begun, or has ended.
  mutating func letGo(watch index: Int32, _ stores: inout Stores) {
    stores.accounts.refund(charge(MemoryCost.watch, of: session(of: index)))
    detach(watch: index, &stores)
    sessions.forget(watch: index)
  }

  /// What it takes to end a watch.
  func spend(endOf watch: Int32, _ effort: inout Effort) {
    effort.spend(Cost.pattern(patterns[sessions[watch: watch].pattern].pattern))
  }

  private func session(of watch: Int32) -> SessionID { SessionID(raw: sessions[watch: watch].session) }
  private func user(of watch: Int32) -> UInt32 { sessions.peer(of: session(of: watch)).uid }
}
