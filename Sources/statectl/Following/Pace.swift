// `watch --interval --exec`: when the command may start again. It has no clock of its own.

internal import HubCore
internal import HubTransport

struct Pace: Sendable {
  /// Nil: at once.
  private let interval: Duration?
  private var next = Deadline(nanoseconds: 0)

  init(_ interval: Duration?) { self.interval = interval }

  /// When it may start again; at once without an interval.
  var due: Deadline { interval == nil ? Deadline(nanoseconds: 0) : next }

  /// It has started.
  mutating func start(now: Deadline) { next = interval.map { now + $0 } ?? next }
}
