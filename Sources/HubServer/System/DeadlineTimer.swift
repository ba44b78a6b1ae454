// The timer descriptor that wakes the loop when a value's time is up, also after the machine has slept.

import CLinux
import Glibc

struct DeadlineTimer: ~Copyable {
  let descriptor: Descriptor
  /// When it will go off, in CLOCK_BOOTTIME nanoseconds; `.max`: it will not.
  private var setting = UInt64.max

  init() throws(ServerError) {
    descriptor = try Descriptor(clinux_boottime_timer(), from: "timerfd_create")
  }

  /// Makes sure that it goes off at `deadline` or before: a later setting than the present one costs no system call,
  /// only a wake-up for nothing.
  mutating func arm(for deadline: UInt64?) {
    guard let deadline, deadline < setting else { return }
    setting = deadline
    _ = clinux_set_timer(descriptor.raw, max(1, deadline))
  }

  /// It went off.
  mutating func fired() { setting = .max }
}
