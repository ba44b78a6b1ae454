// A lamp's daemon as a group of services: it provides the lamp's level, has its settings and log levels from the hub, reports
// metrics, and stops cleanly.
//
//     lamp-daemon                          then, elsewhere:
//     statectl set lamp.level 70           the daemon decides
//     statectl set lamp.settings.max 50    more than that is refused from now on
//     statectl set lamp.log debug          its log has the metrics, too
//
// A variable of the environment, for example MAX=20, has precedence over the hub's setting.

import Configuration
import CoreMetrics
import HubClient
import HubConfiguration
import HubLifecycle
import HubLogging
import HubMetrics
import Logging
import ServiceLifecycle
import UnixSignals

let hub = Hub(name: "lamp-daemon")
let levels = HubLogLevels(hub: hub, prefix: "lamp.log")
LoggingSystem.bootstrap { levels.handler(label: $0, StreamLogHandler.standardError(label: $0)) }
let logger = Logger(label: "lamp")
MetricsSystem.bootstrap(LoggedMeters(logger))

// Without a hub the daemon starts with its defaults, and has the hub's settings as soon as the hub is there.
let stored = try await HubConfigProvider(hub: hub, prefix: "lamp.settings", timeout: .seconds(1))
let settings = ConfigReader(providers: [EnvironmentVariablesProvider(), stored])

let level = try hub.provide("lamp.level", of: Int.self, initial: 0)
let group = ServiceGroup(
  // Shut down in reverse order: the lamp stops taking writes first, and the hub's connection is closed last.
  services: [
    hub, levels, stored, HubStatusLog(hub, logger),
    HubMetricsService(hub: hub, every: .seconds(settings.int(forKey: "metrics.seconds", default: 15))),
    level.service { [settings, logger] value, _ in
      let max = settings.int(forKey: "max", default: 100)
      guard value <= max else { throw Refusal("at most \(max)") }
      logger.info("level \(value)")
      return value
    },
  ],
  gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
try await group.run()
logger.info("stopped")
