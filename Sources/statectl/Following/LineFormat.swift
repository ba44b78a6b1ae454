// Which events of a watch become lines, and how they look.

internal import HubCore

struct LineFormat: Sendable {
  private let json: Bool
  /// With `json`: also the events that concern no store.
  private let markers: Bool
  private let changesOnly: Bool
  /// Each line begins with the store's name.
  private let named: Bool
  private let template: LineTemplate?
  private let printsRevision: Bool
  private let printsPrevious: Bool
  /// The values of the lines before. Kept only if lines show them.
  private var previous: [String: Value] = [:]

  /// - Parameters:
  ///   - named: there may be several stores.
  ///   - runs: the lines are for a command, which also gets removals.
  init(_ words: CommandLineWords, named: Bool, runs: Bool) throws(Failure) {
    json = words.has(.json) || runs
    markers = words.has(.markers)
    changesOnly = words.has(.changesOnly)
    self.named = named
    template = try words.text(.format).map { text throws(Failure) in try LineTemplate(text) }
    printsRevision = words.has(.showRevision)
    printsPrevious = words.has(.showPrevious) || template != nil
  }

  /// Whether the event becomes a counted line.
  func counts(_ event: StoreEvent) -> Bool {
    switch event.kind {
    case .initial: !changesOnly
    case .changed: true
    case .removed: json || template?.tellsKind ?? false
    case .resumed, .synced, .reset: false
    }
  }

  /// Writes the event's line, if it has one.
  ///
  /// - Returns: whether it counts.
  mutating func write(
    _ event: StoreEvent, _ staleness: Staleness, to output: inout Output
  ) throws(Failure) -> Bool {
    let before = previous[event.name]
    if printsPrevious, event.kind.isAboutStore { previous[event.name] = event.value }
    let counts = counts(event)
    guard counts || markers && !event.kind.isAboutStore else { return false }
    if json {
      try output.json { writer in
        writer.members(of: event)
        if event.kind.isAboutStore { staleness.member(&writer, of: event.name) }
        guard printsPrevious, counts else { return }
        writer.member("previous", orNull: before)
      }
    } else if let template {
      try output.write(template.line(event, previous: before) + "\n")
    } else if let value = event.value {
      var columns = named ? [event.name] : []
      if printsRevision { columns.append(String(event.revision)) }
      if printsPrevious { columns.append(before.map(ValueText.line) ?? "") }
      columns.append(ValueText.line(value))
      if event.isOverdue { columns.append("overdue") }
      try output.line(columns.joined(separator: "\t"))
    }
    return counts
  }
}
