// The bridge's reports: lines of its log, and metrics.

internal import Synchronization

/// Shared by all prefixes of a process.
package final class Report: Sendable {
  private struct State {
    var counters = Counters()
    var prefixes: [String: Gauges] = [:]
    /// The last trouble of each prefix, so that it is logged once.
    var troubles: [String: String] = [:]
    var hiddenLines: [String: Int] = [:]
  }

  private let state = Mutex(State())
  private let log: Log

  package init(_ log: Log) { self.log = log }

  func count(_ counter: any WritableKeyPath<Counters, Int> & Sendable) {
    state.withLock { $0.counters[keyPath: counter] += 1 }
  }

  func set(_ gauge: any WritableKeyPath<Gauges, Int> & Sendable, of base: String, _ value: Int) {
    state.withLock { $0.prefixes[base, default: Gauges()][keyPath: gauge] = value }
  }

  /// The metrics, in the OpenMetrics format.
  package var metrics: String { state.withLock { OpenMetrics.text($0.counters, $0.prefixes) } }

  func seen(_ base: String, _ revision: Int64) {
    state.withLock { state in
      state.counters.revisions += 1
      state.prefixes[base, default: Gauges()].revision = Int(clamping: revision)
    }
  }

  // MARK: What happens

  package func live(_ base: String, revision: Int64) {
    state.withLock { state in
      (state.prefixes[base, default: Gauges()].live, state.troubles[base]) = (1, nil)
      state.prefixes[base, default: Gauges()].revision = Int(clamping: revision)
    }
    log.write(.notice, "\(base): live at revision \(revision) of etcd")
  }

  func suspended(_ base: String, _ reason: String) {
    state.withLock { state in
      state.prefixes[base, default: Gauges()].live = 0
      state.counters.suspensions += 1
    }
    log.write(.warning, "\(base): the values may be old: \(reason)")
  }

  func snapshot(_ base: String, keys: Int, hidden: Int, _ time: Duration) {
    state.withLock { $0.hiddenLines[base] = nil }
    let left = hidden == 0 ? "" : "; \(hidden) keys have no store"
    log.write(.info, "\(base): read all keys in \(time.milliseconds) ms: \(keys) stores\(left)")
  }

  /// An attempt has failed. The same reason is logged once, until values are live again.
  func trouble(_ base: String, _ text: String) {
    let isNew = state.withLock { state in
      defer { state.troubles[base] = text }
      return state.troubles[base] != text
    }
    if isNew { log.write(.info, "\(base): \(text)") }
  }

  /// A key has no store. The first ten are logged, until all keys are read again.
  func hidden(_ base: String, _ key: String, _ reason: String) {
    let lines = state.withLock { state in
      state.hiddenLines[base, default: 0] += 1
      return state.hiddenLines[base, default: 0]
    }
    if lines <= 10 { log.write(.warning, "\(base): \(Log.shown(key)) has no store: \(reason)") }
    if lines == 10 { log.write(.warning, "\(base): more keys without a store are only counted") }
  }

  func readOnly(_ base: String, _ key: String) {
    log.write(
      .warning,
      "\(base): the user may not write \(key): all writes are refused, and all keys are read again whenever a watch ends"
    )
  }

  func leaseEnded(_ base: String) {
    log.write(
      .warning,
      "\(base): the lease of this machine's ephemeral values has ended in etcd (revoked, or etcd was out of reach): these values are removed"
    )
  }

  func waiting(_ base: String, _ problem: String) {
    log.write(.warning, "\(base): waiting for the hub: \(problem)")
  }

  func undeclared(_ mapping: NameMapping) {
    log.write(.warning, "\(mapping.base): \(Declaration.warning(about: mapping))")
  }

  func otherHistory(_ base: String, _ revision: Int64) {
    log.write(
      .warning,
      "\(base): etcd's revision \(revision) differs from the published one (restored from a backup?): all keys are read again"
    )
  }

  func sameName(_ base: String, _ key: String) {
    log.write(.warning, "\(base): another bridge writes \(key): give each machine its own --name")
  }
}
