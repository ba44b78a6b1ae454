// Which events of a watch become lines, and how they look.

internal import HubCore

struct LineFormat: Sendable {
  let json: Bool
  /// With `json`: the events that concern no store, too.
  let markers: Bool
  let changesOnly: Bool
  /// Each line begins with the store's name.
  let named: Bool

  /// Whether the event becomes a line that counts.
  func counts(_ event: StoreEvent) -> Bool {
    switch event.kind {
    case .initial: !changesOnly
    case .changed: true
    case .removed: json
    case .resumed, .synced, .reset: false
    }
  }

  /// Writes the event's line, if it has one.
  ///
  /// - Returns: whether it counts.
  func write(_ event: StoreEvent, to output: inout Output) throws(Failure) -> Bool {
    let counts = counts(event)
    guard counts || markers && !event.kind.isAboutStore else { return false }
    if json {
      try output.json { $0.members(of: event) }
    } else if let value = event.value {
      try output.line((named ? event.name + "\t" : "") + ValueText.line(value))
    }
    return counts
  }
}
