// A backend for metrics that writes them to a log. A program in production has swift-prometheus or the like here.

import CoreMetrics
import Logging

/// Takes meters and nothing else.
struct LoggedMeters: MetricsFactory {
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    let parts = dimensions.map { "{\($0)=\"\($1)\"}" }
    return LoggedMeter(name: label + parts.joined(), logger: logger)
  }

  func destroyMeter(_ handler: any MeterHandler) {}

  // MARK: What is not taken

  private var none: NOOPMetricsHandler { .instance }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { none }
  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { none }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { none }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}

private final class LoggedMeter: MeterHandler {
  private let name: String
  private let logger: Logger

  init(name: String, logger: Logger) { (self.name, self.logger) = (name, logger) }

  func set(_ value: Int64) { logger.debug("\(name) \(value)") }
  func set(_ value: Double) { logger.debug("\(name) \(value)") }
  // The hub's metrics are only set.
  func increment(by amount: Double) {}
  func decrement(by amount: Double) {}
}
