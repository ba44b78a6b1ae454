// Owns how the memory of removed stores is returned: a little at a time, so that no client waits for it.

import HubCore

/// How far it was returned, for the next step.
package struct ReleaseCursor {
  fileprivate var order = StaleCursor()
  fileprivate var slot = Int.max

  package init() {}
}

extension HubEngine {
  /// The slots examined in one step, whose memory is returned: about half a millisecond.
  private static let slotsPerRelease = 1 << 15

  /// The total of refunds to users so far, in bytes of their accounts.
  package var freedBytes: Int { mutating get { stores.accounts.freed } }

  /// Takes a step towards giving back the memory of stores that have gone. Only between two turns.
  ///
  /// - Parameters:
  ///   - cursor: a new one at first.
  ///   - giveBack: gives memory to the system, which the engine may use again: its content must be unchanged, or all
  ///     zeroes.
  /// - Returns: whether it was the last step.
  package mutating func releaseFreed(
    _ cursor: inout ReleaseCursor, _ giveBack: (UnsafeMutableRawBufferPointer) -> Void
  ) -> Bool {
    precondition(isBetweenTurns, "memory can be released only between turns")
    guard feed.patterns.dropStale(&cursor.order, stores) else { return false }
    let floor = max(0, min(cursor.slot, stores.used) - HubEngine.slotsPerRelease)
    stores.releaseFree(downTo: floor, from: cursor.slot, giveBack)
    cursor.slot = floor
    return floor == 0
  }
}
