// When memory goes back to the system: some time after much of it has become free, so that the next burst finds it.

import HubCore
import HubSystem

/// Large values go back at once. What this is about are the many small ones, and the tables that they have stretched.
struct MemoryReturn {
  /// It is worth it when so much was given back, in bytes of the users' accounts.
  static let least = 8 << 20
  /// In nanoseconds.
  static let delay: UInt64 = 10_000_000_000

  /// What had been given back when memory went back last.
  private var returned = 0
  /// In CLOCK_BOOTTIME nanoseconds; `.max`: it is not worth it.
  private(set) var deadline = UInt64.max

  /// - Parameter freed: what users have given back so far.
  mutating func note(freed: Int, now: UInt64) {
    if deadline == .max, freed - returned >= MemoryReturn.least { deadline = now + MemoryReturn.delay }
  }

  /// Whether it is time.
  mutating func take(freed: Int, now: UInt64) -> Bool {
    guard now >= deadline else { return false }
    (deadline, returned) = (.max, freed)
    return true
  }
}

extension Exchange {
  /// Sessions or values have ended.
  mutating func noteFreed() { memoryReturn.note(freed: engine.freedBytes, now: now.boot) }

  /// Gives memory back, if it is time. Only between two turns.
  mutating func returnMemory() {
    guard engine.isBetweenTurns, memoryReturn.take(freed: engine.freedBytes, now: now.boot) else { return }
    engine.releaseFreed()
    Heap.returnFreePages()
  }
}
