// The timer descriptor that wakes the loop at a deadline, even if the machine slept.

import CLinux
import Glibc

struct DeadlineTimer: ~Copyable {
  let descriptor: Descriptor
  /// When it will fire, in CLOCK_BOOTTIME nanoseconds; `.max`: never.
  private var setting = UInt64.max

  init() throws(ServerError) {
    descriptor = try Descriptor(clinux_boottime_timer(), from: "timerfd_create")
  }

  /// Ensures that it fires at `deadline` or before: a deadline later than the present setting costs no system call, only a
  /// spurious wake-up.
  mutating func arm(for deadline: UInt64?) {
    guard let deadline, deadline < setting else { return }
    setting = deadline
    _ = clinux_set_timer(descriptor.raw, max(1, deadline))
  }

  /// It fired.
  mutating func fired() { setting = .max }
}
