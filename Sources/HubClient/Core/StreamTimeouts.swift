// The time-outs of streams that wait for an absent hub, or for the reply to their watch. It does not end streams.

internal import HubTransport

struct StreamTimeouts {
  private struct Wait {
    let stream: EventStream
    let timeout: Duration
    /// When the hub stopped answering its watch: when the stream started or the connection was lost; nil while it
    /// answers.
    var since: Deadline?

    var deadline: Deadline { since.map { $0 + timeout } ?? .never }
  }

  private var waits: [ObjectIdentifier: Wait] = [:]
  /// Usually none are, and then no clock is read while the hub is connected.
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

  /// Records that the hub has answered the watch of these streams.
  mutating func answer(_ streams: [EventStream]) {
    guard isAnyUnanswered else { return }
    for stream in streams { waits[ObjectIdentifier(stream)]?.since = nil }
    isAnyUnanswered = waits.values.contains { $0.since != nil }
  }

  /// Records the loss of the connection. A hub that appears and vanishes without an answer counts as one outage.
  mutating func lose(_ now: Deadline) {
    if waits.isEmpty { return }
    for (key, wait) in waits where wait.since == nil { waits[key]?.since = now }
    isAnyUnanswered = true
  }

  /// When the first of them times out.
  var deadline: Deadline {
    isAnyUnanswered ? waits.values.reduce(.never) { min($0, $1.deadline) } : .never
  }

  /// Removes and returns those that have timed out, each with its time-out.
  mutating func expire(_ now: Deadline) -> [(stream: EventStream, timeout: Duration)] {
    guard isAnyUnanswered else { return [] }
    let expired = waits.filter { $0.value.deadline <= now }
    for key in expired.keys { waits[key] = nil }
    return expired.values.map { ($0.stream, $0.timeout) }
  }
}
