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
    action: .ask(command))
}

private func command(_ words: CommandLineWords) -> HubCommand {
  { client, output throws(Failure) in
    guard case .statistics(let statistics) = try client.ask(.stats) else { throw .unexpectedReply }
    if output.isJSON { return try output.json { $0.members(of: statistics) } }
    if words.has(.openMetrics) {
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
    object("limits") { writer in
      for limit in statistics {
        guard let name = limit.limitName else { continue }
        writer.object(name) {
          $0.member("limit", limit.value)
          if let use = statistics.first(where: { $0.useName == name }) { $0.member("use", use.value) }
        }
      }
    }
  }
}
