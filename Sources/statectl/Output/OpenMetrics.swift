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
      lines += OpenMetric(figure).lines
    }
    lines += family("statehub_limit", figures) { $0.limitName }
    lines += family("statehub_limit_use", figures) { $0.useName }
    return lines + ["# EOF"]
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

/// One counter as a metric. A counter whose name ends in `_ns` or `_ms` is a time, and becomes seconds.
struct OpenMetric {
  enum Kind: String {
    case counter
    case gauge
  }

  let name: String
  let kind: Kind
  /// Nil: it counts things.
  let unit: String?
  /// As a decimal number.
  let value: String

  init(_ statistic: Statistic) {
    let figure = statistic.name
    kind = OpenMetric.isCounter(figure) ? .counter : .gauge
    let digits = kind == .counter ? 0 : figure.hasSuffix("_ns") ? 9 : figure.hasSuffix("_ms") ? 3 : 0
    name = digits == 0 ? "statehub_\(figure)" : "statehub_\(figure.dropLast(3))_seconds"
    value = digits == 0 ? "\(statistic.value)" : DecimalText.of(statistic.value, digits: digits)
    unit = name.hasSuffix("_seconds") ? "seconds" : name.hasSuffix("_bytes") ? "bytes" : nil
  }

  /// The lines of the metric.
  var lines: [String] {
    var lines = ["# TYPE \(name) \(kind)"]
    if let unit { lines.append("# UNIT \(name) \(unit)") }
    lines.append("\(kind == .counter ? "\(name)_total" : name) \(value)")
    return lines
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
}
