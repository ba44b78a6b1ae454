// The two clocks that the hub is told. They are read when a turn begins, and one of them when it ends.

import CLinux
import Glibc
import HubCore

enum Clocks {
  static var now: Instant {
    Instant(wall: Int64(bitPattern: nanoseconds(CLOCK_REALTIME)), boot: boot)
  }

  /// CLOCK_BOOTTIME alone.
  static var boot: UInt64 { nanoseconds(CLOCK_BOOTTIME) }

  /// The clock by which a service manager compares the times of notifications.
  static var monotonicMicroseconds: UInt64 { nanoseconds(CLOCK_MONOTONIC) / 1000 }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(bitPattern: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
