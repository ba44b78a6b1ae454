// When memory goes back to the system: some time after much of it has become free, so that the next burst finds it.

import HubCore
import HubSystem

/// Large values go back at once. What this is about are the many small ones, and the tables that they have stretched.
struct MemoryReturn {
  /// It is worth it when so much was given back, in bytes of the users' accounts.
  static let least = 8 << 20
  /// In nanoseconds.
  static let delay: UInt64 = 10_000_000_000

  /// What a turn does of it: all at once it would keep others waiting for too long.
  enum Step { case tables, pages }
  private var step = Step.tables

  /// What had been given back when memory went back last.
  private var returned = 0
  /// In CLOCK_BOOTTIME nanoseconds; `.max`: it is not worth it.
  private(set) var deadline = UInt64.max

  /// - Parameter freed: what users have given back so far.
  mutating func note(freed: Int, now: UInt64) {
    if deadline == .max, freed - returned >= MemoryReturn.least { deadline = now + MemoryReturn.delay }
  }

  /// The step for which it is time.
  mutating func take(freed: Int, now: UInt64) -> Step? {
    guard now >= deadline else { return nil }
    defer {
      switch step {
      case .tables: (step, deadline, returned) = (.pages, now, freed)
      case .pages: (step, deadline) = (.tables, .max)
      }
    }
    return step
  }
}

extension Exchange {
  /// Sessions or values have ended.
  mutating func noteFreed() { memoryReturn.note(freed: engine.freedBytes, now: now.boot) }

  /// Gives memory back, if it is time. Only between two turns.
  mutating func returnMemory() {
    guard engine.isBetweenTurns else { return }
    switch memoryReturn.take(freed: engine.freedBytes, now: now.boot) {
    case .tables: engine.releaseFreed()
    case .pages: Heap.returnFreePages()
    case nil: return
    }
  }
}
