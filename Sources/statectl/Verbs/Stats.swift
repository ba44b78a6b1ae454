// `statectl stats`: the hub's counters, under the hub's names.

internal import HubCore

extension VerbSpec {
  static let stats = VerbSpec(
    "stats", "", 0...0, options: Options([.openMetrics, .http]),
    summary: "print the hub's counters",
    details: """
      Each line is name, tab, number: what the hub contains and has done, how long requests and turns of its
      loop take (in nanoseconds), the state of its journal and disk, and its limits with their use.
      docs/statectl.md explains each number.
      """,
    examples: ["stats", "stats --openmetrics"],
    action: .ask(StatsCommand.init))
}

struct StatsCommand: HubCommand {
  private let json: Bool
  private let openMetrics: Bool

  init(_ words: CommandLineWords) {
    json = words.has(.json)
    openMetrics = words.has(.openMetrics)
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    guard case .statistics(let statistics) = try client.ask(.stats) else { throw .unexpectedReply }
    if json { return try output.json { $0.members(of: statistics) } }
    if openMetrics {
      for line in OpenMetrics.lines(statistics) { try output.line(line) }
      return
    }
    for statistic in statistics {
      try output.line("\(ValueText.visible(statistic.name))\t\(statistic.value)")
    }
  }
}

extension JSONWriter {
  /// Each counter by its name; the limits together, each with its use.
  fileprivate mutating func members(of statistics: [Statistic]) {
    for statistic in statistics where statistic.limitName == nil && statistic.useName == nil {
      member(statistic.name, statistic.value)
    }
    key("limits")
    beginObject()
    for limit in statistics {
      guard let name = limit.limitName else { continue }
      key(name)
      beginObject()
      member("limit", limit.value)
      if let use = statistics.first(where: { $0.useName == name }) { member("use", use.value) }
      endObject()
    }
    endObject()
  }
}
