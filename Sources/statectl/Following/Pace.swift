// `watch --interval`: the events that wait for the interval, the newest of each store. It has no clock of its own.

internal import HubCore
internal import HubTransport

struct Pace: Sendable {
  /// Nil: everything is reported at once.
  let interval: Duration?
  private var next = Deadline(nanoseconds: 0)

  init(_ interval: Duration?) { self.interval = interval }

  /// When the next report is allowed; at once without an interval.
  var due: Deadline { interval == nil ? Deadline(nanoseconds: 0) : next }

  /// Something was told.
  mutating func tell(now: Deadline) { next = interval.map { now + $0 } ?? next }
}
