// The figures that are computed when they are asked for.

import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Statistics")
struct StatisticsTests {
  /// How long ago the last sync was, in milliseconds, as a hub says that has run for a second.
  private func age(ofSyncAt time: UInt64) -> UInt64? {
    var hub = EngineFixture { $0.journals = true }
    let session = hub.connect()
    hub.engine.monitoring.counters.journal.lastSync = time
    guard case .statistics(let figures) = hub.ask(session, .stats) else { return nil }
    return figures.first { $0.name == "journal_last_sync_ms" }?.value
  }

  @Test("the figures cost a look at every connection", arguments: [Request.stats, .clients()])
  func cost(_ request: Request) {
    var hub = EngineFixture()
    let session = hub.connect()
    func cost(_ hub: inout EngineFixture) -> Int {
      let before = hub.engine.work
      _ = hub.ask(session, request)
      return hub.engine.work - before
    }
    let few = cost(&hub)
    _ = hub.connect(5000)
    // Twice, because the engine's owner looks at each as well.
    #expect(cost(&hub) - few >= 2 * Cost.passed * 4990)
  }

  @Test("the last sync is as long ago as it is; one that is still being noted, and none, are zero")
  func age() {
    #expect(age(ofSyncAt: 400_000_000) == 600)
    #expect(age(ofSyncAt: 1_000_000_001) == 0)
    #expect(age(ofSyncAt: 0) == 0)
  }
}
