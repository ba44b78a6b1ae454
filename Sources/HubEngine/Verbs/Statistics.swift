// The counters that `stats` shows. The page on statectl explains each of them, and a test compares it with this list.

import HubCore

extension HubEngine {
  func statistics(now: Instant) -> [Statistic] {
    var figures = [
      Statistic(name: "stores", value: UInt64(stores.count)),
      Statistic(name: "value_bytes", value: UInt64(stores.valueBytes)),
      Statistic(name: "memory_bytes", value: UInt64(stores.memory)),
      Statistic(name: "clients", value: UInt64(feed.sessions.count)),
      Statistic(name: "watches", value: UInt64(feed.sessions.watchCount)),
      Statistic(name: "patterns", value: UInt64(feed.patterns.count - 1)),
      Statistic(name: "revision", value: revision),
      Statistic(name: "requests", value: monitoring.tally.requests),
      Statistic(name: "errors", value: monitoring.tally.errors),
      Statistic(name: "conflicts", value: monitoring.tally.conflicts),
      Statistic(name: "changes", value: monitoring.tally.changes),
      Statistic(name: "deliveries", value: feed.tally.deliveries),
      Statistic(name: "catch_ups", value: feed.tally.catchUps),
      Statistic(name: "forgets", value: feed.tally.forgets),
      Statistic(name: "log_bytes", value: history.log.head - history.log.tail),
      Statistic(name: "log_capacity", value: UInt64(history.log.capacity)),
      Statistic(name: "turns", value: monitoring.counters.turns),
      Statistic(name: "turn_mean_ns", value: mean(monitoring.counters.turnTime, monitoring.counters.turns)),
      Statistic(name: "turn_longest_ns", value: monitoring.counters.longestTurn),
      Statistic(name: "turns_over_1_ms", value: monitoring.counters.slowTurns.over1),
      Statistic(name: "turns_over_10_ms", value: monitoring.counters.slowTurns.over10),
      Statistic(name: "turns_over_100_ms", value: monitoring.counters.slowTurns.over100),
    ]
    let (all, recent) = (monitoring.latencies.all, monitoring.latencies.recent(at: now.boot))
    figures += percentiles("turn", all.turns, recent.turns)
    figures += percentiles("request", all.requests, recent.requests)
    figures += [
      Statistic(name: "request_longest_ns", value: all.requests.longest),
      Statistic(name: "unsent_bytes", value: monitoring.counters.unsentBytes),
      Statistic(name: "connections_accepted", value: monitoring.counters.connectionsAccepted),
      Statistic(name: "connections_refused", value: monitoring.counters.connectionsRefused),
      Statistic(name: "connections_ended", value: monitoring.counters.connectionsEnded),
      Statistic(name: "uptime_seconds", value: uptime(at: now)),
    ]
    if options.journals { figures += journalFigures(monitoring.counters.journal, now: now) }
    for limit in limits {
      figures += [
        Statistic(name: Statistic.limit + limit.name, value: UInt64(limit.limit)),
        Statistic(name: Statistic.use + limit.name, value: UInt64(limit.use)),
      ]
    }
    return figures
  }

  /// In seconds; 0 if the clock was set back. An image may say that the hub was started at any time.
  private func uptime(at now: Instant) -> UInt64 {
    now.wall > monitoring.started ? UInt64(bitPattern: now.wall &- monitoring.started) / 1_000_000_000 : 0
  }

  /// Every limit whose use can be reported. A new one is a line here, or in `Connections.limits`, and one on the page.
  private var limits: [LimitUse] {
    [
      LimitUse("maxStores", options.maximumStores, use: stores.count),
      LimitUse("maxUserStores", options.maximumUserStores, use: stores.accounts.most(\.stores)),
      LimitUse("maxMemoryBytes", options.maximumMemory, use: stores.memory),
      LimitUse("maxUserMemoryBytes", options.maximumUserMemory, use: stores.accounts.most(\.bytes)),
      LimitUse("maxWatches", options.maximumWatches, use: feed.sessions.mostWatches),
    ] + monitoring.counters.limits
  }

  private func percentiles(
    _ what: String, _ all: LatencyHistogram, _ recent: LatencyHistogram
  ) -> [Statistic] {
    [
      Statistic(name: "\(what)_p50_ns", value: all.percentile(50)),
      Statistic(name: "\(what)_p99_ns", value: all.percentile(99)),
      Statistic(name: "\(what)_recent_p50_ns", value: recent.percentile(50)),
      Statistic(name: "\(what)_recent_p99_ns", value: recent.percentile(99)),
      Statistic(name: "\(what)_recent_longest_ns", value: recent.longest),
    ]
  }

  private func journalFigures(_ journal: JournalCounters, now: Instant) -> [Statistic] {
    let age = journal.lastSync == 0 ? 0 : (max(journal.lastSync, now.boot) - journal.lastSync)
    return [
      Statistic(name: "journal_bytes", value: journal.bytes),
      Statistic(name: "journal_segments", value: journal.segments),
      Statistic(name: "journal_unsynced_bytes", value: journal.unsyncedBytes),
      Statistic(name: "journal_syncs", value: journal.syncs),
      Statistic(name: "journal_sync_mean_ns", value: mean(journal.syncTime, journal.syncs)),
      Statistic(name: "journal_sync_longest_ns", value: journal.longestSync),
      Statistic(name: "journal_sync_p50_ns", value: journal.syncTimes.percentile(50)),
      Statistic(name: "journal_sync_p99_ns", value: journal.syncTimes.percentile(99)),
      Statistic(name: "journal_last_sync_ms", value: age / ServerCounters.millisecond),
      Statistic(name: "journal_refusing", value: journal.isRefusing ? 1 : 0),
      Statistic(name: "journal_errno", value: journal.problem),
      Statistic(name: "journal_failures", value: journal.failures),
      Statistic(name: "snapshots", value: journal.snapshots),
      Statistic(name: "snapshot_bytes", value: journal.snapshotBytes),
      Statistic(name: "snapshot_failures", value: journal.snapshotFailures),
      Statistic(name: "disk_free_bytes", value: journal.freeBytes),
    ]
  }

  private func mean(_ sum: UInt64, _ count: UInt64) -> UInt64 { count == 0 ? 0 : sum / count }
}
