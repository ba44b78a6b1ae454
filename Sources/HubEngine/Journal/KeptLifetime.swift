// A value's lifetime in files: readable even after a reboot, when the clock that measures it has restarted.

package import HubCore

/// When a value ends by itself.
package struct KeptLifetime: Hashable, Sendable {
  /// In CLOCK_BOOTTIME nanoseconds of the boot in which it was written; 0: no deadline.
  package var deadline: UInt64
  /// How many nanoseconds the value had left when this was written.
  package var remaining: UInt64
  /// When this was written, in nanoseconds since 1970.
  package var written: Int64
  /// The value ends with the connection that set it.
  package var isEphemeral: Bool

  package init(deadline: UInt64, remaining: UInt64, written: Int64, isEphemeral: Bool) {
    self.deadline = deadline
    self.remaining = remaining
    self.written = written
    self.isEphemeral = isEphemeral
  }

  init(deadline: UInt64, isEphemeral: Bool, now: Instant) {
    self.deadline = deadline
    remaining = deadline > now.boot ? deadline - now.boot : 0
    written = now.wall
    self.isEphemeral = isEphemeral
  }

  /// Whether the value ends by itself at all.
  package var isSet: Bool { deadline != 0 || isEphemeral }

  /// When the value expires by the current clock; 0: no deadline.
  ///
  /// After a reboot, or in a time namespace whose clock is behind, only the wall clock shows how much time has passed. It may have
  /// been set back: the value never gets more time than it had left.
  package func deadline(isSameBoot: Bool, now: Instant) -> UInt64 {
    if deadline == 0 { return 0 }
    // Within one boot the clock never goes back.
    if isSameBoot, remaining <= deadline, now.boot >= deadline - remaining { return deadline }
    let (elapsed, overflow) = now.wall.subtractingReportingOverflow(written)
    let passed = overflow ? 0 : UInt64(clamping: elapsed)
    let (end, isFar) = now.boot.addingReportingOverflow(remaining - min(passed, remaining))
    return isFar ? .max : max(end, 1)
  }
}
