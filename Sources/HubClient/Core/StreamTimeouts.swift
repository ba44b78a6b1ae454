// The streams that wait only so long for a hub that is absent, or does not answer their watch. It ends none of them.

internal import HubTransport

struct StreamTimeouts {
  private struct Wait {
    let stream: EventStream
    let timeout: Duration
    /// Since when the hub has not answered its watch: from the stream's beginning, or from the loss of the connection; nil: it has.
    var since: Deadline?

    var deadline: Deadline { since.map { $0 + timeout } ?? .never }
  }

  private var waits: [ObjectIdentifier: Wait] = [:]
  /// As a rule none is: then no time is looked at while the hub is there.
  private var isAnyUnanswered = false

  /// - Parameter isAnswered: another stream shares its watch, which the hub has answered.
  mutating func add(_ stream: EventStream, _ timeout: Duration, from start: Deadline, isAnswered: Bool) {
    waits[ObjectIdentifier(stream)] = Wait(
      stream: stream, timeout: timeout, since: isAnswered ? nil : start)
    if !isAnswered { isAnyUnanswered = true }
  }

  mutating func remove(_ stream: EventStream) {
    if waits.isEmpty { return }
    waits[ObjectIdentifier(stream)] = nil
  }

  /// The hub has answered the watch of these streams.
  mutating func answer(_ streams: [EventStream]) {
    guard isAnyUnanswered else { return }
    for stream in streams { waits[ObjectIdentifier(stream)]?.since = nil }
    isAnyUnanswered = waits.values.contains { $0.since != nil }
  }

  /// The connection is gone. A hub that comes and goes without an answer is one absence.
  mutating func lose(_ now: Deadline) {
    if waits.isEmpty { return }
    for (key, wait) in waits where wait.since == nil { waits[key]?.since = now }
    isAnyUnanswered = true
  }

  /// When the first of them has waited long enough.
  var deadline: Deadline {
    isAnyUnanswered ? waits.values.reduce(.never) { min($0, $1.deadline) } : .never
  }

  /// Takes out those that have waited long enough, with the time-out that each had.
  mutating func expire(_ now: Deadline) -> [(stream: EventStream, timeout: Duration)] {
    guard isAnyUnanswered else { return [] }
    let expired = waits.filter { $0.value.deadline <= now }
    for key in expired.keys { waits[key] = nil }
    return expired.values.map { ($0.stream, $0.timeout) }
  }
}
