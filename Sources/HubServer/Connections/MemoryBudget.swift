// How much memory clients make the hub keep for them, in all. It counts; the loop decides which session must end.

/// The limit on all `PendingBytes` together. One session can exceed it within one step of the loop, by what it adds there.
struct MemoryBudget {
  let limit: Int
  private(set) var used = 0

  init(limit: Int) { self.limit = limit }

  var isExceeded: Bool { used > limit }

  mutating func charge(_ bytes: Int) { used += bytes }

  mutating func refund(_ bytes: Int) {
    precondition(bytes <= used, "more memory was given back than taken")
    used -= bytes
  }
}
