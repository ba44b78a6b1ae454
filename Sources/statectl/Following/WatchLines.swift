// The lines that a watch has printed, and those that wait for `--interval`: the newest event of each store.

internal import HubCore
internal import HubTransport

struct WatchLines {
  private var format: LineFormat
  var pace: Pace
  private var waiting = ExecQueue()
  /// The number of counted lines printed.
  private(set) var count = 0

  init(_ format: LineFormat, _ pace: Pace) {
    self.format = format
    self.pace = pace
  }

  var isWaiting: Bool { !waiting.isEmpty }

  /// Prints the event, or keeps it until it may be printed.
  mutating func take(
    _ event: StoreEvent, _ staleness: Staleness, to output: inout Output
  ) throws(Failure) {
    guard pace.interval != nil, event.kind.isAboutStore, event.kind != .initial || format.counts(event) else {
      if try format.write(event, staleness, to: &output) { count += 1 }
      return
    }
    waiting.put(event)
  }

  /// Prints what waits, if it is time to.
  ///
  /// - Parameter isLast: it is the last opportunity.
  mutating func tell(
    _ limit: Int, isLast: Bool, _ staleness: Staleness, to output: inout Output
  ) throws(Failure) {
    let now = Deadline.now
    guard isWaiting, isLast || pace.due <= now else { return }
    pace.tell(now: now)
    while count < limit, let event = waiting.next() {
      if try format.write(event, staleness, to: &output) { count += 1 }
    }
  }
}
