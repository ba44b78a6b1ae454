// The clocks, in nanoseconds.

public import CLinux

@usableFromInline package enum SystemClock {
  /// Since 1970, as people set it.
  @inlinable package static var real: Int64 { Int64(bitPattern: clinux_real_time()) }

  /// Since the machine's boot, the time that it sleeps included.
  @inlinable package static var boot: UInt64 { clinux_boot_time() }

  /// Since an arbitrary point, without the time that the machine sleeps.
  @inlinable package static var monotonic: UInt64 { clinux_monotonic_time() }
}
