// The bounded queue between a watch and one iteration of it: it conflates by its policy and counts what it skips. It does not wait or lock, and knows
// no hub.
//
// Policy: a store's event makes room by dropping an older event of the same store, never its last one. With one store
// that keeps the queue at the policy's count. With several it has at most one event more of each store: an event before
// the last `synced` is not conflated with one after it, which would break that `synced`'s promise.

internal import HubCore

struct EventQueue: Sendable {
  private struct Entry: Sendable {
    var event: StoreEvent
    /// The next event of the same store.
    var next: Int?
  }

  /// The waiting events of one store, linked by `Entry.next`.
  private struct Chain: Sendable {
    var oldest: Int
    var newest: Int
    var length = 1
  }

  /// By store. A watch of one store looks none up.
  private enum Chains: Sendable {
    case one(Chain?)
    case many([String: Chain])

    subscript(name: String) -> Chain? {
      get {
        switch self {
        case .one(let chain): chain
        case .many(let chains): chains[name]
        }
      }
      set {
        guard case .many(var chains) = self else {
          self = .one(newValue)
          return
        }
        // Otherwise there would be two owners, and every change would copy.
        self = .one(nil)
        chains[name] = newValue
        self = .many(chains)
      }
    }

    var all: [Chain] {
      switch self {
      case .one(let chain): chain.map { [$0] } ?? []
      case .many(let chains): Array(chains.values)
      }
    }

    mutating func forEach(_ body: (inout Chain) -> Void) {
      switch self {
      case .one(var chain):
        if chain != nil { body(&chain!) }
        self = .one(chain)
      case .many(let chains):
        self = .many(
          chains.mapValues {
            var chain = $0
            body(&chain)
            return chain
          })
      }
    }

    mutating func removeAll() {
      switch self {
      case .one: self = .one(nil)
      case .many(var chains):
        self = .one(nil)
        chains.removeAll(keepingCapacity: true)
        self = .many(chains)
      }
    }
  }

  /// `resumed`, `synced` or `reset`, to be delivered before the entry with that index.
  private struct Marker: Sendable {
    var index: Int
    var event: StoreEvent
  }

  private let policy: StreamPolicy
  /// Whether there is only one store, whose state after each event is the hub's at that revision.
  private let isSingle: Bool
  private var entries: [Entry?] = []
  private var head = 0
  private var chains: Chains
  private var markers: [Marker] = []
  /// The index after the last `synced`.
  private var seal = 0
  /// For stores whose events a `reset` has dropped: the version last delivered, or received since; nil if unknown. Kept
  /// up to the `synced` that shows which stores are left.
  private var delivered: [String: UInt64?] = [:]
  /// How many stores' events are waiting.
  private(set) var count = 0

  init(_ policy: StreamPolicy, isSingle: Bool) {
    self.policy = policy
    self.isSingle = isSingle
    chains = isSingle ? .one(nil) : .many([:])
  }

  var isEmpty: Bool { count == 0 && markers.isEmpty }

  // MARK: Taking

  mutating func pop() -> StoreEvent? {
    while head < entries.count, entries[head] == nil { head += 1 }
    if let marker = markers.first, marker.index <= head {
      markers.removeFirst()
      return marker.event
    }
    guard head < entries.count, let entry = entries[head] else { return nil }
    entries[head] = nil
    head += 1
    count -= 1
    shorten(entry)
    if count == 0, markers.isEmpty { clear() }
    return entry.event
  }

  private mutating func clear() {
    entries.removeAll(keepingCapacity: entries.capacity <= 64)
    chains.removeAll()
    markers.removeAll()
    (head, seal, count) = (0, 0, 0)
  }

  /// Notes that the oldest event of a store has left the queue.
  private mutating func shorten(_ entry: Entry) {
    if let next = entry.next {
      chains[entry.event.name]!.oldest = next
      chains[entry.event.name]!.length -= 1
    } else {
      chains[entry.event.name] = nil
    }
  }

  // MARK: Putting

  mutating func push(_ event: StoreEvent) {
    switch event.kind {
    case .initial, .changed, .removed: append(event)
    case .synced: close(event)
    case .resumed:
      markers.removeAll { $0.event.kind == .resumed && $0.index == entries.count }
      markers.append(Marker(index: entries.count, event: event))
    case .reset: restart(event)
    }
  }

  private mutating func append(_ event: StoreEvent) {
    if entries.count - head > 2 * count + 64 || head > count + 64 { compact() }
    var event = event
    if !delivered.isEmpty, let base = delivered[event.name] { recount(&event, behind: base) }
    let index = entries.count
    entries.append(Entry(event: event))
    count += 1
    if event.isWhole { seal = entries.count }
    guard let newest = chains[event.name]?.newest else {
      chains[event.name] = Chain(oldest: index, newest: index)
      return
    }
    entries[newest]!.next = index
    chains[event.name]!.newest = index
    chains[event.name]!.length += 1
    trim(event.name)
  }

  /// Drops as many of the store's oldest events as the policy requires and the last `synced` allows.
  private mutating func trim(_ name: String) {
    guard let chain = chains[name] else { return }
    var excess: Int =
      switch policy {
      case .latest(let most): chain.length - max(most, 1)
      case .every(let limit): count - max(limit, 1)
      }
    var previous: Int?
    var node = chain.oldest
    while excess > 0, let successor = entries[node]!.next {
      if isSingle || (node < seal) == (successor < seal) {
        drop(node, name, previous: previous, successor: successor)
        excess -= 1
      } else {
        previous = node
      }
      node = successor
    }
  }

  private mutating func drop(_ victim: Int, _ name: String, previous: Int?, successor: Int) {
    let dropped = entries[victim]!.event
    entries[victim] = nil
    count -= 1
    chains[name]!.length -= 1
    if let previous { entries[previous]!.next = successor } else { chains[name]!.oldest = successor }
    let isRestated = entries[successor]!.event.restates(dropped)
    entries[successor]!.event.skipped = entries[successor]!.event.skipped(without: dropped)
    if isRestated { entries[successor]!.event.isRepeat = dropped.isRepeat }
    if dropped.kind == .removed || dropped.spansRemoval { entries[successor]!.event.spansRemoval = true }
    if dropped.kind == .initial, entries[successor]!.event.kind == .changed {
      entries[successor]!.event.kind = .initial
    }
    if isSingle {
      postpone(from: victim, behind: successor)
    } else {
      // Promises made in between no longer hold.
      let before = markers.count
      markers.removeAll { $0.event.kind == .synced && $0.index > victim && $0.index <= successor }
      for index in victim + 1..<successor { entries[index]?.event.isWhole = false }
      if markers.count < before { restore() }
    }
  }

  /// A `synced` was dropped because of later changes. If they add up to a state of the hub themselves, a new `synced`
  /// marks it; if not, the hub has sent another one after them, or will.
  private mutating func restore() {
    guard let last = entries.last??.event, last.isWhole, markers.last?.index != entries.count else { return }
    let event = StoreEvent(.synced, revision: last.revision, epoch: last.epoch)
    markers.append(Marker(index: entries.count, event: event))
  }

  /// A promise between two events of the one store now holds after the second; unless that is not the last change of its
  /// revision, or part of a catch-up: the hub ends these with their own `synced`.
  private mutating func postpone(from victim: Int, behind successor: Int) {
    var last: StoreEvent?
    markers.removeAll {
      guard $0.event.kind == .synced, $0.index > victim, $0.index <= successor else { return false }
      last = $0.event
      return true
    }
    guard var last, entries[successor]!.event.isLast else { return }
    last.revision = max(last.revision, entries[successor]!.event.revision)
    let place = markers.firstIndex { $0.index > successor } ?? markers.count
    markers.insert(Marker(index: successor + 1, event: last), at: place)
  }

  // MARK: Markers

  private mutating func close(_ event: StoreEvent) {
    if let last = markers.last, last.event.kind == .synced, last.index == entries.count {
      markers.removeLast()
    }
    markers.append(Marker(index: entries.count, event: event))
    // Events after the old seal may now give way to newer ones before the new seal.
    let opened = max(seal, head)..<entries.count
    seal = entries.count
    if !delivered.isEmpty { delivered.removeAll() }
    if isSingle { return }
    for index in opened {
      if let name = entries[index]?.event.name { trim(name) }
    }
  }

  private mutating func restart(_ event: StoreEvent) {
    for chain in chains.all {
      guard let first = entries[chain.oldest]?.event, first.epoch == event.epoch else { continue }
      delivered[first.name] = .some(isOneStore(chain) ? EventQueue.version(before: first) : nil)
    }
    clear()
    markers = [Marker(index: 0, event: event)]
  }

  /// A store's event after a `reset`, counted from what was delivered before it.
  private mutating func recount(_ event: inout StoreEvent, behind base: UInt64?) {
    guard let base, event.skipped != nil else {
      event.skipped = nil
      delivered[event.name] = nil
      return
    }
    event.isRepeat = event.version <= base
    event.skipped = event.isRepeat ? 0 : event.version - base - 1
    delivered[event.name] = event.kind == .removed ? nil : .some(max(base, event.version))
  }

  /// Whether a store's events are about the same store, not about another one of the same name.
  private func isOneStore(_ chain: Chain) -> Bool {
    var node: Int? = chain.oldest
    while let index = node, let entry = entries[index] {
      if entry.event.kind == .removed || entry.event.spansRemoval { return false }
      node = entry.next
    }
    return true
  }

  /// The store's version that was delivered before its oldest waiting event, if the event says so.
  private static func version(before event: StoreEvent) -> UInt64? {
    if event.isRepeat { return event.version }
    guard let skipped = event.skipped, skipped < event.version else { return nil }
    return event.version - skipped - 1
  }

  // MARK: Holes

  /// Closes the gaps that dropped events have left.
  private mutating func compact() {
    var moved = [Int](repeating: 0, count: entries.count + 1)
    var kept: [Entry?] = []
    kept.reserveCapacity(count + 1)
    for index in entries.indices {
      moved[index] = kept.count
      if let entry = entries[index] { kept.append(entry) }
    }
    moved[entries.count] = kept.count
    for index in kept.indices {
      if let next = kept[index]!.next { kept[index]!.next = moved[next] }
    }
    chains.forEach {
      $0.oldest = moved[$0.oldest]
      $0.newest = moved[$0.newest]
    }
    for index in markers.indices { markers[index].index = moved[markers[index].index] }
    seal = moved[seal]
    head = 0
    entries = kept
  }
}
