// Which metrics a backend gets from a hub, and what it gets while the hub is away.

import CoreMetrics
import HubClient
import HubMetrics
import HubTesting
import MetricsTestKit
import ServiceLifecycleTestKit
import Synchronization
import Testing

@Suite("Metrics of a hub", .timeLimit(.minutes(4)))
struct HubMetricsTests {
  let hub = Hub.inMemory()
  let backend = TestMetrics()

  @Test("are the hub's own figures, and whether it is there")
  func figures() async throws {
    let metrics = HubMetricsService(hub: hub, factory: backend)
    try await hub.value("a", of: Int.self).set(1)
    try await hub.value("b", of: Int.self).set(1)
    await metrics.report()
    #expect(try backend.expectMeter("statehub_stores").lastValue == 2)
    #expect(try backend.expectMeter("statehub_connected").lastValue == 1)
    let figures = try await hub.stats()
    for figure in figures
    where figure.name.wholeMatch(of: /[a-z_]*[a-z]/) != nil && !figure.name.hasSuffix("s") {
      _ = try backend.expectMeter("statehub_\(figure.name)")
    }
    try await hub.value("c", of: Int.self).set(1)
    await metrics.report()
    #expect(try backend.expectMeter("statehub_stores").values == [2, 3])
  }

  @Test("say that the hub is away, and keep its last figures")
  func away() async throws {
    let memory = try #require(hub.memory)
    let hub = memory.connect(timeout: .zero)
    let metrics = HubMetricsService(hub: hub, factory: backend)
    await metrics.report()
    memory.stop()
    let reporting = Task { await metrics.report() }
    while try backend.expectMeter("statehub_connected").values.count < 2 {
      memory.advance(by: .seconds(1))
      await Task.yield()
    }
    await reporting.value
    #expect(try backend.expectMeter("statehub_connected").values == [1, 0])
    #expect(try backend.expectMeter("statehub_stores").values.count == 1)
  }

  @Test("come at once and then at each interval, until the task is cancelled, which is not an error")
  func interval() async throws {
    let metrics = HubMetricsService(hub: hub, factory: backend, clock: CountingClock(sleeps: 3))
    await metrics.run()
    #expect(try backend.expectMeter("statehub_connected").values.count == 4)
  }

  @Test("end with their group, which shuts down without an error")
  func service() async throws {
    let metrics = HubMetricsService(hub: hub, factory: backend)
    await testGracefulShutdown { trigger in
      async let running: Void = metrics.run()
      while (try? backend.expectMeter("statehub_connected")) == nil { await Task.yield() }
      trigger.triggerGracefulShutdown()
      await running
    }
  }
}

/// A clock whose sleeps end at once, so many of them; the next one finds its task cancelled.
private final class CountingClock: Clock {
  private let sleeps: Mutex<Int>

  init(sleeps: Int) { self.sleeps = Mutex(sleeps) }

  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    let isLeft = sleeps.withLock { left in
      left -= 1
      return left >= 0
    }
    if !isLeft { throw CancellationError() }
  }
}
