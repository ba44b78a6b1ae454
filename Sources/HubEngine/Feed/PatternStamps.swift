// Which patterns a session watches, for the length of a walk: they are stamped, and a store's patterns are examined for
// the stamp.

import HubCore

extension PatternTable {
  mutating func beginStamping() { newestStamp += 1 }
  mutating func stamp(_ index: Int32) { records[Int(index)].stamp = newestStamp }

  /// The most that finding out whether a stamped pattern matches a name may take, as the creation of a store.
  static let mostNameWork = 1_000_000

  /// Whether a pattern that was stamped since `beginStamping` matches the name of a store that is gone; nil: that would take
  /// too long to find out.
  mutating func isStamped(
    _ name: StoreName, for audience: AudienceIndex, _ effort: inout Effort
  ) -> Bool? {
    if records[0].stamp == newestStamp { return true }
    var search = Effort(PatternTable.mostNameWork)
    defer { effort.spend(search.spent) }
    search.spend(Cost.found)
    if audience == Permissions.everything,
      let index = indices[PatternKey(text: name.text, audience: audience)],
      records[Int(index)].stamp == newestStamp
    {
      return true
    }
    return Array(name.text.utf8).withByteView { bytes in
      guard trie.match(bytes, &search, givesUp: true) else { return nil }
      for place in trie.found.indices {
        var index = trie[trie.found[place]]
        while index >= 0 {
          search.spend(Cost.passed)
          if records[Int(index)].stamp == newestStamp {
            search.spend(Cost.match(bytes.count, records[Int(index)].pattern))
            if records[Int(index)].pattern.matches(bytes) { return true }
          }
          if search.isSpent { return nil }
          index = records[Int(index)].nextAtNode
        }
      }
      return false
    }
  }

  /// Whether one of the store's patterns was stamped since `beginStamping`.
  @inline(__always)
  func isStamped(_ record: StoreRecord, _ effort: inout Effort) -> Bool {
    if records[0].stamp == newestStamp { return true }
    effort.spend(Cost.passed &* Int(record.patternCount))
    var node = record.memberships
    while node >= 0 {
      if records[Int(memberships[node].pattern)].stamp == newestStamp { return true }
      node = memberships[node].nextOfStore
    }
    return false
  }
}
