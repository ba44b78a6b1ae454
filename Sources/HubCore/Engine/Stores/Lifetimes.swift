// Which values end by themselves, and when: a heap of deadlines and the stores of each owner. Entries may be outdated:
// the store's record decides.

/// A binary heap by deadline. A store with a new lifetime leaves its old entry in the heap, which is dropped when it
/// reaches the top; the heap is rebuilt when outdated entries outnumber the others.
struct Lifetimes {
  struct Deadline {
    var time: UInt64
    var id: StoreID
    /// The store's lifetime count at that time: if it differs now, another lifetime has replaced this one.
    var lifetime: UInt32

    /// Values that end at the same time end in the order of their stores' numbers.
    static func < (a: Deadline, b: Deadline) -> Bool {
      a.time != b.time ? a.time < b.time : a.id.raw < b.id.raw
    }

    /// A count that was undone is used again; the time tells such lifetimes apart.
    func isCurrent(in stores: borrowing StoreTable) -> Bool {
      guard let slot = stores.find(id) else { return false }
      return stores[slot].deadline == time && stores[slot].lifetime == lifetime
    }
  }

  /// What a session owns, in the order in which it came to own it.
  private struct Owned {
    var ids: [StoreID] = []
    /// With more entries than this, the list is checked for outdated ones: half of them are outdated, or there are many.
    var limit = 64
    /// The session has ended: the ids are in order, the lowest last.
    var isEnding = false
  }

  private var heap: [Deadline] = []
  private var owned: [Int32: Owned] = [:]
  /// How many stores have a deadline.
  var live = 0
  /// What a journal says of lifetimes, during recovery; empty otherwise.
  var kept: [StoreID: KeptLifetime] = [:]

  var earliest: Deadline? { heap.first }

  mutating func add(_ deadline: Deadline) {
    heap.append(deadline)
    var index = heap.count - 1
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeEarliest() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sink(0)
  }

  var wantsRebuild: Bool { heap.count >= 64 && heap.count > 2 * live }

  mutating func rebuild(with stores: borrowing StoreTable) {
    heap.removeAll { deadline in !deadline.isCurrent(in: stores) }
    for index in stride(from: heap.count / 2, through: 0, by: -1) { sink(index) }
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child] < heap[least] {
        least = child
      }
      if least == index { return }
      heap.swapAt(index, least)
      index = least
    }
  }

  mutating func own(_ id: StoreID, session: SessionID) {
    owned[session.raw, default: Owned()].ids.append(id)
  }

  func owned(by session: SessionID) -> [StoreID] { owned[session.raw]?.ids ?? [] }

  mutating func restore(_ ids: [StoreID], ownedBy session: SessionID) { owned[session.raw] = Owned(ids: ids) }

  /// Those with the lowest numbers, in order: the list's own order would reveal what was undone, too. The session takes
  /// no more from now on, so its list is put in order once.
  mutating func takeOwned(by session: SessionID, most count: Int) -> [StoreID] {
    guard var list = owned.removeValue(forKey: session.raw) else { return [] }
    if !list.isEnding {
      list.isEnding = true
      list.ids.sort { $0.raw > $1.raw }
    }
    let taken = Array(list.ids.suffix(count).reversed())
    list.ids.removeLast(taken.count)
    if !list.ids.isEmpty { owned[session.raw] = list }
    return taken
  }

  func hasOwned(by session: SessionID) -> Bool { owned[session.raw] != nil }

  /// A session that owns and disowns the same values again and again collects outdated entries.
  func wantsTidying(of session: SessionID) -> Bool {
    owned[session.raw].map { $0.ids.count > $0.limit } ?? false
  }

  /// Drops the entries of stores that the session no longer owns, and duplicates of the others.
  mutating func tidy(_ session: SessionID, with stores: borrowing StoreTable) {
    var seen: Set<StoreID> = []
    var owned = Owned()
    for id in self.owned(by: session) {
      guard let slot = stores.find(id), stores[slot].owner == session.raw, seen.insert(id).inserted else {
        continue
      }
      owned.ids.append(id)
    }
    owned.limit = max(owned.limit, 2 * owned.ids.count)
    self.owned[session.raw] = owned
  }
}
