// The events for which a watch must still run its command, or print a line: the newest of each store.

internal import HubCore

/// Holds at most one event per store, in order of arrival.
struct ExecQueue: Sendable {
  private var waiting: [String: StoreEvent] = [:]
  private var order: [String] = []
  private var first = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// A waiting event is replaced, and counts as skipped.
  mutating func put(_ event: StoreEvent) {
    guard let earlier = waiting[event.name] else {
      waiting[event.name] = event
      order.append(event.name)
      return
    }
    var newest = event
    if earlier.skipped != nil, event.skipped != nil { newest.skipped = event.skipped(without: earlier) }
    if event.restates(earlier) { newest.isRepeat = earlier.isRepeat }
    waiting[event.name] = newest
  }

  mutating func next() -> StoreEvent? {
    guard first < order.count else { return nil }
    let event = waiting.removeValue(forKey: order[first])
    first += 1
    if first == order.count {
      order.removeAll(keepingCapacity: true)
      first = 0
    }
    return event
  }
}
