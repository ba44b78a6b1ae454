// The timer descriptor that wakes a loop at a deadline, even if the machine slept.

internal import CLinux

@usableFromInline package struct DeadlineTimer: ~Copyable {
  @usableFromInline package let descriptor: Descriptor
  /// When it will fire, in nanoseconds of `SystemClock.boot`; `.max`: never.
  @usableFromInline var setting = UInt64.max

  package init() throws(SystemError) { descriptor = try Descriptor(returned: clinux_boottime_timer()) }

  /// Ensures that it fires at `deadline` or before: a deadline later than the current setting costs no system call, only a
  /// spurious wake-up.
  @inlinable
  package mutating func arm(for deadline: UInt64?) {
    guard let deadline, deadline < setting else { return }
    set(deadline)
  }

  @usableFromInline
  mutating func set(_ deadline: UInt64) {
    setting = deadline
    _ = clinux_set_timer(descriptor.raw, max(1, deadline))
  }

  /// It fired.
  package mutating func fired() { setting = .max }
}
