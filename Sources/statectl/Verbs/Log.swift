// `statectl log`: what was changed, when, and by whom, as far as the hub has kept it.

internal import HubCore

extension VerbSpec {
  static let log = VerbSpec(
    "log", "[STORE|GLOB]", 0...1,
    options: Options([.since, .lines]),
    summary: "print what was changed, when, and by whom",
    details: """
      Prints a line for each change, oldest first: its time and revision, the store, the previous and the new
      value, the user, the process, and the name that the process gave itself. - means unknown. The hub keeps
      as much history as its setting historyBytes allows (by default none); upgrades and restarts clear it. -n
      prints only the last N changes. The history is read in pages; if the hub drops part of it in between,
      the status is 6.
      """,
    examples: ["log", "log audio.volume -n 20", "log 'audio.**' --since 4711 --json"],
    action: .ask(command))
}

private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  let pattern = try words.pattern()
  let since = try words.revision(.since)
  let limit = try words.lineLimit()
  return { client, output throws(Failure) in
    // The previous values come from the whole kept history.
    var history = try KeptHistory(of: pattern, &client)
    if let since { try history.check(since: since, client) }
    var printer = Printer()
    var values: [String: Value] = [:]
    var lines: [Line] = []
    var hasGap = false
    while let part = try history.next(&client) {
      if part.followsGap {
        hasGap = true
        values.removeAll()
        if limit < .max { lines.removeAll() }
      }
      for change in part.changes {
        let before = values[change.name]
        values[change.name] = change.value
        if change.revision > since?.revision ?? 0 { lines.append(Line(change: change, before: before)) }
      }
      if limit == .max {
        try printer.print(lines[...], to: &output)
        lines.removeAll(keepingCapacity: true)
      } else if lines.count - limit > mostWaiting {
        lines.removeFirst(lines.count - limit)
      }
    }
    try printer.print(lines.suffix(limit), to: &output)
    if let since { try history.check(since: since, client) }
    if hasGap, limit == .max {
      throw KeptHistory.forgotten(history.floor, "and has dropped some while they were read")
    }
  }
}

/// As many lines wait at most besides those that will be printed.
private let mostWaiting = 1000

private struct Line {
  let change: LoggedChange
  let before: Value?
}

private struct Printer {
  private var table = Columns("TIME", "REVISION", "STORE", "OLD", "NEW", "USER", "PID", "CLIENT")
  private let users = UserNames()

  mutating func print(_ lines: ArraySlice<Line>, to output: inout Output) throws(Failure) {
    for line in lines {
      let change = line.change
      if output.isJSON {
        try output.json { $0.members(of: change, before: line.before) }
      } else {
        table.add(
          TimeText.rfc3339(change.time), String(change.revision), change.name, cell(line.before),
          cell(change.value), users.text(of: change.uid),
          change.pid == 0 ? "-" : String(change.pid),
          change.client.isEmpty ? "-" : ValueText.visible(change.client))
      }
    }
    try output.write(&table)
  }

  private func cell(_ value: Value?) -> String { value.map { ValueText.cut(ValueText.line($0), 40) } ?? "-" }
}

extension JSONWriter {
  fileprivate mutating func members(of change: LoggedChange, before: Value?) {
    member("time", TimeText.rfc3339(change.time))
    member("revision", change.revision)
    member("version", change.version)
    member("name", change.name)
    member("kind", "\(change.kind)")
    member("previous", orNull: before)
    member("value", orNull: change.value)
    member("uid", change.uid)
    if change.pid != 0 { member("pid", change.pid) }
    if !change.client.isEmpty { member("client", change.client) }
  }
}
