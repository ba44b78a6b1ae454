// The bounded queue between a watch and one iteration of it: it conflates by its policy and counts what it skips. It
// has no waiting, no locks and no hub.
//
// Policy: a store's event makes room by dropping an older event of the same store, never its last one. With one store
// that keeps the queue at the policy's count. With several it has at most one event more of each store: an event before
// the last `synced` is not conflated with one after it, which would break that `synced`'s promise.

internal import HubCore

struct EventQueue: Sendable {
  /// `resumed`, `synced` or `reset`, to be delivered before the event with that number.
  private struct Marker: Sendable {
    var number: Int
    var event: StoreEvent
  }

  private let policy: StreamPolicy
  /// Whether there is only one store, whose state after each event is the hub's at that revision.
  private let isSingle: Bool
  /// The waiting events, numbered in the order of their arrival.
  private var events: [Int: StoreEvent] = [:]
  /// Their numbers, the lowest first, from `head` on. Some of the events are gone.
  private var order: [Int] = []
  private var head = 0
  /// The number of the next event.
  private var end = 0
  /// The numbers of each store's waiting events, the lowest first.
  private var chains: [String: [Int]] = [:]
  private var markers: [Marker] = []
  /// The number after the last `synced`.
  private var seal = 0
  /// For stores whose events a `reset` has dropped: the version last delivered, or received since; nil if unknown. Kept
  /// up to the `synced` that shows which stores are left.
  private var delivered: [String: UInt64?] = [:]

  init(_ policy: StreamPolicy, isSingle: Bool) {
    self.policy = policy
    self.isSingle = isSingle
  }

  var isEmpty: Bool { events.isEmpty && markers.isEmpty }

  // MARK: Taking

  mutating func pop() -> StoreEvent? {
    while head < order.count, events[order[head]] == nil { head += 1 }
    let next = head < order.count ? order[head] : end
    if let marker = markers.first, marker.number <= next {
      markers.removeFirst()
      return marker.event
    }
    guard let event = events.removeValue(forKey: next) else { return nil }
    head += 1
    chains[event.name]!.removeFirst()
    if chains[event.name]!.isEmpty { chains[event.name] = nil }
    if isEmpty { clear() }
    return event
  }

  private mutating func clear() {
    let isSmall = order.capacity <= 64
    events.removeAll(keepingCapacity: isSmall)
    order.removeAll(keepingCapacity: isSmall)
    chains.removeAll(keepingCapacity: isSmall)
    markers.removeAll()
    (head, end, seal) = (0, 0, 0)
  }

  // MARK: Putting

  mutating func push(_ event: StoreEvent) {
    switch event.kind {
    case .initial, .changed, .removed: append(event)
    case .synced: close(event)
    case .resumed:
      markers.removeAll { $0.event.kind == .resumed && $0.number == end }
      markers.append(Marker(number: end, event: event))
    case .reset: restart(event)
    }
  }

  private mutating func append(_ event: StoreEvent) {
    if order.count - head > 2 * events.count + 64 || head > events.count + 64 {
      order = order[head...].filter { events[$0] != nil }
      head = 0
    }
    var event = event
    if !delivered.isEmpty, let base = delivered[event.name] { recount(&event, behind: base) }
    events[end] = event
    order.append(end)
    var chain = chains.updateValue([], forKey: event.name) ?? []
    chain.append(end)
    end += 1
    if event.isWhole { seal = end }
    trim(&chain)
    chains[event.name] = chain
  }

  /// Drops as many of the store's oldest events as the policy requires and the last `synced` allows.
  private mutating func trim(_ chain: inout [Int]) {
    var excess: Int =
      switch policy {
      case .latest(let most): chain.count - max(most, 1)
      case .every(let limit): events.count - max(limit, 1)
      }
    var place = 0
    while excess > 0, place + 1 < chain.count {
      let (number, successor) = (chain[place], chain[place + 1])
      if isSingle || (number < seal) == (successor < seal) {
        drop(number, successor: successor)
        chain.remove(at: place)
        excess -= 1
      } else {
        place += 1
      }
    }
  }

  private mutating func drop(_ victim: Int, successor: Int) {
    guard let dropped = events.removeValue(forKey: victim), var event = events[successor] else { return }
    event.skipped = EventQueue.skipped(dropped, event)
    if dropped.kind == .removed || dropped.spansRemoval { event.spansRemoval = true }
    if dropped.kind == .initial, event.kind == .changed { event.kind = .initial }
    events[successor] = event
    if isSingle {
      postpone(from: victim, behind: successor)
    } else {
      // What was promised in between no longer holds.
      let before = markers.count
      markers.removeAll { $0.event.kind == .synced && $0.number > victim && $0.number <= successor }
      for number in order[place(of: victim)..<place(of: successor)] { events[number]?.isWhole = false }
      if markers.count < before { restore() }
    }
  }

  /// The place in `order` of the first number that is not lower.
  private func place(of number: Int) -> Int {
    var (low, high) = (head, order.count)
    while low < high {
      let middle = (low + high) / 2
      if order[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// A `synced` was dropped because of later changes. If they add up to a state of the hub themselves, a new `synced`
  /// marks it; if not, the hub has sent another one after them, or will.
  private mutating func restore() {
    guard let last = events[end - 1], last.isWhole, markers.last?.number != end else { return }
    let event = StoreEvent(.synced, revision: last.revision, epoch: last.epoch)
    markers.append(Marker(number: end, event: event))
  }

  /// A promise between two events of the one store now holds after the second; unless that is not the last change of its
  /// revision, or part of a catch-up: the hub ends these with their own `synced`.
  private mutating func postpone(from victim: Int, behind successor: Int) {
    var last: StoreEvent?
    markers.removeAll {
      guard $0.event.kind == .synced, $0.number > victim, $0.number <= successor else { return false }
      last = $0.event
      return true
    }
    guard var last, let event = events[successor], event.isLast else { return }
    last.revision = max(last.revision, event.revision)
    let place = markers.firstIndex { $0.number > successor } ?? markers.count
    markers.insert(Marker(number: successor + 1, event: last), at: place)
  }

  // MARK: Markers

  private mutating func close(_ event: StoreEvent) {
    if let last = markers.last, last.event.kind == .synced, last.number == end { markers.removeLast() }
    markers.append(Marker(number: end, event: event))
    // Events after the old seal may now give way to newer ones before the new seal.
    let opened = order[place(of: seal)...]
    seal = end
    if !delivered.isEmpty { delivered.removeAll() }
    if isSingle { return }
    for number in opened {
      guard let name = events[number]?.name, var chain = chains.updateValue([], forKey: name) else {
        continue
      }
      trim(&chain)
      chains[name] = chain
    }
  }

  private mutating func restart(_ event: StoreEvent) {
    for chain in chains.values {
      let waiting = chain.compactMap { events[$0] }
      guard let first = waiting.first, first.epoch == event.epoch else { continue }
      // Otherwise they are about another store of the same name.
      let isOneStore = waiting.allSatisfy { $0.kind != .removed && !$0.spansRemoval }
      delivered[first.name] = .some(isOneStore ? EventQueue.version(before: first) : nil)
    }
    clear()
    markers = [Marker(number: 0, event: event)]
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

  /// The store's version that was delivered before its oldest waiting event, if the event says so.
  private static func version(before event: StoreEvent) -> UInt64? {
    if event.isRepeat { return event.version }
    guard let skipped = event.skipped, skipped < event.version else { return nil }
    return event.version - skipped - 1
  }

  /// What an event skips once the one before it is not delivered.
  private static func skipped(_ dropped: StoreEvent, _ event: StoreEvent) -> UInt64? {
    guard let before = dropped.skipped, let own = event.skipped else { return nil }
    return before &+ own &+ (dropped.isRepeat ? 0 : 1)
  }
}
