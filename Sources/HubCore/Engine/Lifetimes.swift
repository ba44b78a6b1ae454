// Which values end by themselves, and when: a heap of deadlines and the stores of each owner. Entries may be outdated:
// the store's record decides.

/// A binary heap by deadline. A store that gets a new lifetime leaves its old entry behind, which is dropped when it comes
/// up; the heap is rebuilt when outdated entries outnumber the others.
struct Lifetimes {
  struct Deadline {
    var time: UInt64
    var id: StoreID
    /// The store's count of lifetimes at that time: another one has replaced this since if they differ.
    var lifetime: UInt32

    func isCurrent(in stores: borrowing StoreTable) -> Bool {
      guard let slot = stores.find(id) else { return false }
      return stores[slot].deadline != 0 && stores[slot].lifetime == lifetime
    }
  }

  private var heap: [Deadline] = []
  private var owned: [Int32: [StoreID]] = [:]
  /// How many stores have a deadline.
  var live = 0

  var earliest: Deadline? { heap.first }

  mutating func add(_ deadline: Deadline) {
    heap.append(deadline)
    var index = heap.count - 1
    while index > 0, heap[(index - 1) / 2].time > heap[index].time {
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
      where child < heap.count && heap[child].time < heap[least].time {
        least = child
      }
      if least == index { return }
      heap.swapAt(index, least)
      index = least
    }
  }

  mutating func own(_ id: StoreID, session: SessionID) {
    // A value that is set again and again must not make the list grow.
    if owned[session.raw]?.last != id { owned[session.raw, default: []].append(id) }
  }

  func owned(by session: SessionID) -> [StoreID] { owned[session.raw] ?? [] }

  mutating func restore(_ ids: [StoreID], ownedBy session: SessionID) { owned[session.raw] = ids }

  mutating func takeOwned(by session: SessionID) -> [StoreID] {
    owned.removeValue(forKey: session.raw) ?? []
  }
}
