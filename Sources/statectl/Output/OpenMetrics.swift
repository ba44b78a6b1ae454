// Owns the hub's figures as text for scrapers, in the OpenMetrics format (https://prometheus.io/docs/specs/om/open_metrics_spec/).

internal import HubCore

/// One figure as a metric. A figure whose name ends in `_ns` or `_ms` is a time, and becomes seconds.
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
    value = digits == 0 ? "\(statistic.value)" : OpenMetric.decimal(statistic.value, digits: digits)
    unit = name.hasSuffix("_seconds") ? "seconds" : name.hasSuffix("_bytes") ? "bytes" : nil
  }

  /// The lines of the metric.
  var lines: [String] {
    var lines = ["# TYPE \(name) \(kind)"]
    if let unit { lines.append("# UNIT \(name) \(unit)") }
    lines.append("\(kind == .counter ? "\(name)_total" : name) \(value)")
    return lines
  }

  /// The last line of every exposition.
  static let end = "# EOF"

  /// Whether the figure only ever rises while the hub lives. One that this release does not know may fall.
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

  private static func decimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    return "\(padded.dropLast(digits)).\(padded.suffix(digits))"
  }
}
