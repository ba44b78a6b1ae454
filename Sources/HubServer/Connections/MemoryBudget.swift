// How much memory clients make the hub keep for them, all together. It counts; who has to go is the loop's decision.

/// The bound on all `HeldBytes`. It may be exceeded within one step of the loop, by what one session adds in it.
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
