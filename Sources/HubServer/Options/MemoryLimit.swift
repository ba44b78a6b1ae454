// The effects of the control group's memory limit on the hub: lower default limits, warnings about higher settings, and
// the limit beside the use.

import HubCore
import HubEngine
import HubSystem

extension ServerOptions {
  /// Lowers the defaults to shares of the limit: together they stay below it. Comes before the configuration, whose
  /// values count as they are.
  package mutating func lowerDefaults(toMemory limit: Int) {
    engine.maximumMemory = min(engine.maximumMemory, max(1 << 20, limit / 2))
    engine.maximumUserMemory = min(engine.maximumUserMemory, max(1 << 16, engine.maximumMemory / 4))
    heldBytes = min(heldBytes, max(1 << 20, limit / 16))
    engine.changeLogBytes = min(engine.changeLogBytes, max(1 << 16, limit / 16))
    // The first few connections of each user are not charged.
    maxClients = min(maxClients, max(64, limit / 8 / HubEngine.connectionMemory))
  }

  /// Notes settings that the limit makes meaningless. Comes after the configuration.
  package mutating func noteSettings(aboveMemory limit: Int) {
    let settings = [
      ("maxMemoryBytes", engine.maximumMemory), ("changeLogBytes", engine.changeLogBytes),
      ("historyBytes", engine.historyBytes),
    ].filter { $0.1 > 0 }
    if settings.reduce(heldBytes, { $0 + $1.1 }) < limit { return }
    notes.append(
      settings.map { "\($0.0) (\($0.1))" }.joined(separator: ", ")
        + " allow more memory than the \(limit) bytes of the hub's control group (MemoryMax=): the kernel may kill the "
        + "hub before it refuses anything. Lower them, or raise the group's limit")
  }
}

extension LimitUse {
  /// The memory limit of the hub's control group, with the group's use; nil: no limit is set or shown.
  static var controlGroup: LimitUse? {
    guard let group = ControlGroup.limiting, let use = group.memoryUse else { return nil }
    return LimitUse("controlGroupBytes", group.memoryLimit, use: use)
  }
}

/// The control group's use as `stats` shows it: read at most once a second, however often clients ask.
struct GroupMemory {
  private var reading: LimitUse?
  private var nextReading: UInt64 = 0

  /// - Parameter time: in CLOCK_BOOTTIME nanoseconds.
  mutating func current(at time: UInt64, _ read: () -> LimitUse? = { .controlGroup }) -> LimitUse? {
    if time >= nextReading { (reading, nextReading) = (read(), time + 1_000_000_000) }
    return reading
  }
}
