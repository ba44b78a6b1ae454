// `watch --interval`: what waits until it may be told, the newest event of each store. It has no clock of its own.

internal import HubCore
internal import HubTransport

struct Pace: Sendable {
  /// Nil: everything is told at once.
  let interval: Duration?
  private var next = Deadline(nanoseconds: 0)

  init(_ interval: Duration?) { self.interval = interval }

  /// When something may be told again; at once without an interval.
  var due: Deadline { interval == nil ? Deadline(nanoseconds: 0) : next }

  /// Something was told.
  mutating func tell(now: Deadline) { next = interval.map { now + $0 } ?? next }
}
