// When memory is returned to the system: some time after much of it was freed, so that the next burst can still use it.

import HubCore
import HubEngine
import HubSystem

/// Large values go back at once. What this is about are the many small ones, and the tables that they have stretched. It begins
/// when no more becomes free, or after a minute at most, and then is returned in one small step per turn, so that no client waits for it.
struct MemoryReturn {
  /// It is worth it after this many bytes of refunds to users.
  static let least = 8 << 20
  /// In nanoseconds.
  static let delay: UInt64 = 10_000_000_000
  /// With fewer refunds within the delay, the release counts as over.
  static let little = 1 << 20
  /// The longest delay, in multiples of the usual one.
  static let mostDelays = 5

  private enum State {
    case idle
    /// The refunds at the start of the delay.
    case waiting(freed: Int, delays: Int)
    /// `isBusy`: when it began, users were still giving back.
    case tables(ReleaseCursor, isBusy: Bool)
    case pages(isBusy: Bool)
  }
  private var state = State.idle

  /// The refunds when memory was last returned.
  private var returned = 0
  /// In CLOCK_BOOTTIME nanoseconds; `.max`: it is not worth it.
  private(set) var deadline = UInt64.max

  /// - Parameter freed: the refunds so far.
  mutating func note(freed: Int, now: UInt64) {
    guard case .idle = state, freed - returned >= MemoryReturn.least else { return }
    wait(freed: freed, delays: 1, now: now)
  }

  private mutating func wait(freed: Int, delays: Int, now: UInt64) {
    state = .waiting(freed: freed, delays: delays)
    deadline = now + MemoryReturn.delay
  }

  /// Takes the next step, if it is time.
  ///
  /// - Parameters:
  ///   - tables: a step in the engine's tables; whether it was the last one.
  ///   - pages: returns what has become free in the heap.
  mutating func proceed(
    freed: Int, now: UInt64, tables: (inout ReleaseCursor) -> Bool, pages: () -> Void
  ) {
    guard now >= deadline else { return }
    switch state {
    case .idle: return
    case .waiting(let before, let delays):
      let isBusy = freed - before >= MemoryReturn.little
      if isBusy, delays < MemoryReturn.mostDelays {
        return wait(freed: freed, delays: delays + 1, now: now)
      }
      returned = freed
      state = .tables(ReleaseCursor(), isBusy: isBusy)
    case .tables(var cursor, let isBusy):
      state = tables(&cursor) ? .pages(isBusy: isBusy) : .tables(cursor, isBusy: isBusy)
    case .pages(let isBusy):
      pages()
      (state, deadline) = (.idle, .max)
      // Sessions are still freeing memory. The rest may be too little to start this again, so check once more.
      if isBusy { wait(freed: freed, delays: 1, now: now) }
    }
  }
}

extension Exchange {
  /// Stores, values or sessions may have ended.
  @inline(__always)
  mutating func noteFreed() { memoryReturn.note(freed: engine.freedBytes, now: now.boot) }

  /// Gives memory back, if it is time. Only between two turns.
  mutating func returnMemory() {
    guard engine.isBetweenTurns else { return }
    memoryReturn.proceed(
      freed: engine.freedBytes, now: now.boot,
      tables: { engine.releaseFreed(&$0, Heap.returnPages) }, pages: Heap.returnFreePages)
  }
}
