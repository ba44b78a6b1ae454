// The bridge's counters and gauges, and their names in its metrics.

struct Counters {
  var revisions = 0
  var transactions = 0
  var snapshots = 0
  var splitRevisions = 0
  var watchesEnded = 0
  var suspensions = 0
  var accepted = 0
  var late = 0
  var refused = 0
  var unavailable = 0
  var conflicts = 0
  var unknown = 0
}

/// The gauges of one prefix.
struct Gauges {
  var live = 0
  var revision = 0
  var stores = 0
  var hidden = 0
  /// Milliseconds since the last moment whose state of etcd is certainly published.
  var doubt = 0
}

enum OpenMetrics {
  static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

  private static let counters: [(name: String, value: any KeyPath<Counters, Int> & Sendable)] = [
    ("etcd_revisions", \.revisions), ("hub_transactions", \.transactions), ("snapshots", \.snapshots),
    ("split_revisions", \.splitRevisions), ("watches_ended", \.watchesEnded), ("suspensions", \.suspensions),
    ("writes_accepted", \.accepted), ("writes_accepted_late", \.late), ("writes_refused", \.refused),
    ("writes_unavailable", \.unavailable), ("writes_reevaluated", \.conflicts),
    ("writes_resolved", \.unknown),
  ]

  static func text(_ values: Counters, _ prefixes: [String: Gauges]) -> String {
    var lines: [String] = []
    for counter in counters {
      let name = "statehub_bridge_\(counter.name)"
      lines += ["# TYPE \(name) counter", "\(name)_total \(values[keyPath: counter.value])"]
    }
    func gauge(_ name: String, unit: String? = nil, _ value: (Gauges) -> String) {
      let name = "statehub_bridge_\(name)"
      lines.append("# TYPE \(name) gauge")
      if let unit { lines.append("# UNIT \(name) \(unit)") }
      for (base, gauges) in prefixes.sorted(by: { $0.key < $1.key }) {
        lines.append("\(name){claim=\"\(base)\"} \(value(gauges))")
      }
    }
    gauge("live") { "\($0.live)" }
    gauge("etcd_revision") { "\($0.revision)" }
    gauge("stores") { "\($0.stores)" }
    gauge("keys_without_store") { "\($0.hidden)" }
    gauge("doubt_seconds", unit: "seconds") { "\(Double($0.doubt) / 1000)" }
    return (lines + ["# EOF"]).joined(separator: "\n") + "\n"
  }
}
