// What the harness does between two turns about the memory of stores that have gone.

import HubCore
import HubEngine

extension EngineHarness {
  /// Memory goes back to the system in all steps, and comes again as new.
  mutating func releaseFreed() {
    var cursor = ReleaseCursor()
    while !engine.releaseFreed(&cursor, { $0.initializeMemory(as: UInt8.self, repeating: 0) }) {}
  }
}
