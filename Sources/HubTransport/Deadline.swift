// Points in time on the monotonic clock: how long a caller is willing to wait. It never waits itself.

internal import HubSystem

/// A point on CLOCK_MONOTONIC, in nanoseconds. The clock stops while the machine sleeps.
public struct Deadline: Hashable, Comparable, Sendable {
  /// Nanoseconds since an arbitrary point, usually when the machine booted.
  public var nanoseconds: UInt64

  /// That point in time.
  public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// Later than any point in time.
  public static let never = Deadline(nanoseconds: .max)

  /// Reads the clock, in about 20 ns.
  public static var now: Deadline { Deadline(nanoseconds: SystemClock.monotonic) }

  /// The time that is `duration` from now; a negative duration counts as zero.
  public static func after(_ duration: Duration) -> Deadline { now + duration }

  /// The time `duration` later; `never` on overflow.
  public static func + (start: Deadline, duration: Duration) -> Deadline {
    start.advanced(by: duration.wholeNanoseconds)
  }

  /// The deadline that many nanoseconds later; `never` on overflow.
  package func advanced(by nanoseconds: UInt64) -> Deadline {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return overflow ? .never : Deadline(nanoseconds: sum)
  }

  /// The time until `other`; zero if that is earlier.
  public func duration(to other: Deadline) -> Duration {
    other > self ? .nanoseconds(Int64(clamping: other.nanoseconds - nanoseconds)) : .zero
  }

  public static func < (a: Deadline, b: Deadline) -> Bool { a.nanoseconds < b.nanoseconds }

  /// The remaining time for poll(2) and epoll_wait(2): rounded up, 0 if it has passed, -1 for `never`.
  package func pollTimeout(now: Deadline = .now) -> Int32 {
    if self == .never { return -1 }
    guard self > now else { return 0 }
    let left = nanoseconds - now.nanoseconds
    return Int32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
  }
}

extension Duration {
  /// Clamped to what 64 bits hold; a negative duration counts as zero.
  package var wholeNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : whole &+ UInt64(attoseconds) / 1_000_000_000
  }
}
