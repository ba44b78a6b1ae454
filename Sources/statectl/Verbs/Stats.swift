// `statectl stats`: the hub's counters, as it names them.

internal import HubCore

extension VerbSpec {
  static let stats = VerbSpec(
    "stats", "", 0...0, options: Options([.openMetrics]),
    summary: "print the hub's counters",
    details: """
      Name, tab, number: what the hub contains and has done, how long the turns of its loop take (in
      nanoseconds), and the state of its journal and disk. The page docs/statectl.md explains each of them.
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
    guard case .statistics(let statistics) = try client.ask(.stats) else { throw .strangeAnswer }
    if json {
      return try output.json { for statistic in statistics { $0.member(statistic.name, statistic.value) } }
    }
    if openMetrics {
      for statistic in statistics { for line in OpenMetric(statistic).lines { try output.line(line) } }
      return try output.line(OpenMetric.end)
    }
    for statistic in statistics {
      try output.line("\(ValueText.visible(statistic.name))\t\(statistic.value)")
    }
  }
}
