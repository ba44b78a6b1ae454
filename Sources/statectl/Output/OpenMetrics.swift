// Owns the hub's counters as text for scrapers, in the OpenMetrics format
// (https://prometheus.io/docs/specs/om/open_metrics_spec/).

internal import HubCore

enum OpenMetrics {
  /// The format's name in HTTP.
  static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

  /// The lines of all metrics, and the last line of every exposition. Limits and their uses are a metric each, with the
  /// limit's name as a label.
  static func lines(_ figures: [Statistic]) -> [String] {
    var lines: [String] = []
    for figure in figures where figure.limitName == nil && figure.useName == nil {
      lines += metric(figure)
    }
    lines += family("statehub_limit", figures) { $0.limitName }
    lines += family("statehub_limit_use", figures) { $0.useName }
    return lines + ["# EOF"]
  }

  /// A counter whose name ends in `_ns` or `_ms` is a time, and becomes seconds.
  private static func metric(_ statistic: Statistic) -> [String] {
    let figure = statistic.name
    let isCounter = isCounter(figure)
    let digits = isCounter ? 0 : figure.hasSuffix("_ns") ? 9 : figure.hasSuffix("_ms") ? 3 : 0
    let name = digits == 0 ? "statehub_\(figure)" : "statehub_\(figure.dropLast(3))_seconds"
    var lines = ["# TYPE \(name) \(isCounter ? "counter" : "gauge")"]
    for unit in ["seconds", "bytes"] where name.hasSuffix("_\(unit)") {
      lines.append("# UNIT \(name) \(unit)")
    }
    return lines + ["\(name)\(isCounter ? "_total" : "") \(DecimalText.of(statistic.value, digits: digits))"]
  }

  /// Whether the counter only rises while the hub runs. A counter unknown to this release may fall.
  private static func isCounter(_ figure: String) -> Bool {
    switch figure {
    case "requests", "errors", "conflicts", "changes", "deliveries", "catch_ups", "forgets", "turns",
      "turns_over_1_ms", "turns_over_10_ms", "turns_over_100_ms", "connections_accepted",
      "connections_refused", "connections_ended", "journal_syncs", "journal_failures", "snapshots",
      "snapshot_failures":
      true
    default: false
    }
  }

  private static func family(
    _ name: String, _ figures: [Statistic], _ label: (Statistic) -> String?
  ) -> [String] {
    let samples = figures.compactMap { figure in
      label(figure).map { "\(name){name=\"\($0)\"} \(figure.value)" }
    }
    return samples.isEmpty ? [] : ["# TYPE \(name) gauge"] + samples
  }
}

extension Statistic {
  /// The limit that the counter holds; nil: it is not a limit.
  var limitName: String? { name(behind: Statistic.limit) }
  /// The limit whose use the counter holds.
  var useName: String? { name(behind: Statistic.use) }

  private func name(behind prefix: String) -> String? {
    name.hasPrefix(prefix) ? String(name.dropFirst(prefix.utf8.count)) : nil
  }
}
