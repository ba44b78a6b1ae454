// The hub's own statistics as metrics of a program, at an interval. The program chooses the backend.

public import CoreMetrics
public import HubClient
public import ServiceLifecycle
import Synchronization

/// Reports what `statectl stats` shows to swift-metrics, and whether the hub is there.
///
///     let group = ServiceGroup(services: [hub, HubMetricsService(hub: hub), server], logger: logger)
///
/// Each statistic is a `Meter` with the hub's own value, for example `statehub_requests`; counters count since the hub's start.
/// Times in `_ns` or `_ms` are converted to `_seconds`. Limits and their uses are `statehub_limit` and `statehub_limit_use`, with
/// the limit's name as a dimension. `statehub_connected` is 1 or 0.
public final class HubMetricsService: Service {
  private struct Key: Hashable {
    var label: String
    var name: String?
  }

  private let hub: Hub
  private let interval: Duration
  private let factory: (any MetricsFactory)?
  private let clock: any Clock<Duration>
  private let meters = Mutex<[Key: Meter]>([:])

  /// - Parameters:
  ///   - interval: between one report and the next.
  ///   - factory: nil: the one that the program has bootstrapped.
  public init(
    hub: Hub, every interval: Duration = .seconds(15), factory: (any MetricsFactory)? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.hub = hub
    self.interval = interval
    self.factory = factory
    self.clock = clock
  }

  /// Reports at each interval until the group shuts down or the task is cancelled, also while the hub is away.
  public func run() async {
    await cancelWhenGracefulShutdown { [self] in
      while !Task.isCancelled {
        await report()
        do { try await clock.sleep(for: interval) } catch { return }
      }
    }
  }

  /// Reports once.
  public func report() async {
    do throws(HubError) {
      for figure in try await hub.stats() { report(figure) }
    } catch {
      // `statehub_connected` reports it.
    }
    set(Key(label: "statehub_connected"), to: hub.status.isConnected ? 1 : 0)
  }

  private func report(_ figure: Hub.Counter) {
    let (name, value) = (figure.name, Double(figure.value))
    let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
    if parts.count == 2 {
      set(
        Key(label: parts[0] == "use" ? "statehub_limit_use" : "statehub_\(parts[0])", name: parts[1]),
        to: value)
    } else if name.hasSuffix("_ns") {
      set(Key(label: "statehub_\(name.dropLast(3))_seconds"), to: value / 1e9)
    } else if name.hasSuffix("_ms"), !name.contains("_over_") {
      set(Key(label: "statehub_\(name.dropLast(3))_seconds"), to: value / 1e3)
    } else {
      set(Key(label: "statehub_\(name)"), to: value)
    }
  }

  private func set(_ key: Key, to value: Double) {
    let meter = meters.withLock { meters in
      let meter = meters[key] ?? make(key)
      meters[key] = meter
      return meter
    }
    meter.set(value)
  }

  private func make(_ key: Key) -> Meter {
    let dimensions = key.name.map { [("name", $0)] } ?? []
    guard let factory else { return Meter(label: key.label, dimensions: dimensions) }
    return Meter(label: key.label, dimensions: dimensions, factory: factory)
  }
}
