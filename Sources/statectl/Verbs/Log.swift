// `statectl log`: what was changed, when, and by whom, as far as the hub has kept it.

internal import HubCore

extension VerbSpec {
  static let log = VerbSpec(
    "log", "[STORE|GLOB]", 0...1,
    options: Options([.since, .lines]),
    summary: "print what was changed, when, and by whom",
    details: """
      A line for each change, the oldest first: its time and revision, the store, the value before
      and the new one, the user, the process, and what the process calls itself. - stands for what
      is not known. The hub keeps as much as its setting historyBytes says, by default nothing, and
      begins anew when it is reloaded or restarted. With -n only the last N changes are printed.
      """,
    examples: ["log", "log audio.volume -n 20", "log 'audio.**' --since 4711 --json"],
    action: .ask(LogCommand.init))
}

struct LogCommand: HubCommand {
  private let pattern: NamePattern
  private let since: Revision?
  private let limit: Int
  private let json: Bool

  /// Of a value in the table.
  private static let width = 40

  init(_ words: CommandLineWords) throws(Failure) {
    pattern = words.operands.isEmpty ? .everything : try words.pattern(0)
    since = try words.integer(.since, in: 0...(Revision.max - 1))
    limit = try words.integer(.lines, in: 1...Int.max) ?? .max
    json = words.has(.json)
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    // The values before come from all that is kept.
    let history = try KeptHistory(of: pattern, &client)
    if let since { try history.check(since: since) }
    var values: [String: Value] = [:]
    var lines: [(change: LoggedChange, before: Value?)] = []
    for change in history.changes {
      let before = values[change.name]
      values[change.name] = change.value
      if change.revision > since ?? 0 { lines.append((change, before)) }
    }
    var table = Columns("TIME", "REVISION", "STORE", "OLD", "NEW", "USER", "PID", "CLIENT")
    let users = UserNames()
    for (change, before) in lines.suffix(limit) {
      if json {
        try output.json { $0.members(of: change, before: before) }
      } else {
        table.add(
          TimeText.rfc3339(change.time), String(change.revision), change.name, LogCommand.cell(before),
          LogCommand.cell(change.value), users.text(of: change.uid),
          change.pid == 0 ? "-" : String(change.pid),
          change.client.isEmpty ? "-" : ValueText.visible(change.client))
      }
    }
    if !json { for line in table.lines { try output.line(line) } }
  }

  private static func cell(_ value: Value?) -> String {
    value.map { ValueText.cut(ValueText.line($0), width) } ?? "-"
  }
}

extension JSONWriter {
  fileprivate mutating func members(of change: LoggedChange, before: Value?) {
    member("time", TimeText.rfc3339(change.time))
    member("revision", change.revision)
    member("version", change.version)
    member("name", change.name)
    member("kind", "\(change.kind)")
    key("previous")
    if let before { value(before, json: .asValue) } else { null() }
    key("value")
    if let new = change.value { value(new, json: .asValue) } else { null() }
    member("uid", change.uid)
    if change.pid != 0 { member("pid", change.pid) }
    if !change.client.isEmpty { member("client", change.client) }
  }
}
