// The effect of the control group's memory limit on the hub's own limits: lower defaults, and a note about higher
// settings.

import HubCore
import HubEngine

extension ServerOptions {
  /// Lowers the defaults to shares of the limit. Comes before the configuration, whose values count as they are.
  package mutating func lowerDefaults(toMemory limit: Int) {
    engine.maximumMemory = min(engine.maximumMemory, max(1 << 20, limit / 2))
    engine.maximumUserMemory = min(engine.maximumUserMemory, max(1 << 16, engine.maximumMemory / 4))
    heldBytes = min(heldBytes, max(1 << 20, limit / 16))
    engine.changeLogBytes = min(engine.changeLogBytes, max(1 << 16, limit / 16))
  }

  /// Notes settings that the limit makes meaningless. Comes after the configuration.
  package mutating func noteSettings(aboveMemory limit: Int) {
    for (key, bytes) in [
      ("maxMemoryBytes", engine.maximumMemory), ("changeLogBytes", engine.changeLogBytes),
      ("historyBytes", engine.historyBytes),
    ] where bytes >= limit {
      notes.append(
        "\(key) is \(bytes), but the memory of the hub's control group is limited to \(limit) bytes (MemoryMax=): the kernel "
          + "kills the hub before it refuses anything")
    }
  }
}
