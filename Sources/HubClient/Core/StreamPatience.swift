// The streams that wait for an absent hub only so long. It ends none of them.

internal import HubTransport

struct StreamPatience {
  private struct Wait {
    let stream: EventStream
    let patience: Duration
    /// When the stream was opened: what it has not lived through does not count.
    let start: Deadline

    func deadline(awaySince: Deadline) -> Deadline { max(awaySince, start) + patience }
  }

  private var waits: [ObjectIdentifier: Wait] = [:]

  var isEmpty: Bool { waits.isEmpty }

  mutating func add(_ stream: EventStream, _ patience: Duration, from start: Deadline) {
    waits[ObjectIdentifier(stream)] = Wait(stream: stream, patience: patience, start: start)
  }

  mutating func remove(_ stream: EventStream) {
    if waits.isEmpty { return }
    waits[ObjectIdentifier(stream)] = nil
  }

  /// When the first of them has waited long enough for a hub that has been away since then.
  func deadline(awaySince: Deadline?) -> Deadline {
    guard !waits.isEmpty, let awaySince else { return .never }
    return waits.values.reduce(.never) { min($0, $1.deadline(awaySince: awaySince)) }
  }

  /// Takes out those that have waited long enough, with the patience that each had.
  mutating func expire(_ now: Deadline, awaySince: Deadline?) -> [(stream: EventStream, patience: Duration)] {
    guard !waits.isEmpty, let awaySince else { return [] }
    let expired = waits.filter { $0.value.deadline(awaySince: awaySince) <= now }
    for key in expired.keys { waits[key] = nil }
    return expired.values.map { ($0.stream, $0.patience) }
  }
}
