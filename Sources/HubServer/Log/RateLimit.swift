// How often one kind of line may be written: it only counts, without a clock or the text.

/// At most `burst` lines in a window, and a count of the suppressed ones.
struct RateLimit {
  static let burst = 5
  static let window: UInt64 = 10_000_000_000

  private var start: UInt64 = 0
  private var used = 0
  private var suppressed = 0

  /// Whether a line may be written at `time` (nanoseconds of a clock that never jumps back), and how many before it were
  /// suppressed.
  mutating func admit(at time: UInt64) -> (isAdmitted: Bool, suppressed: Int) {
    if time >= start + RateLimit.window || used == 0 {
      start = time
      used = 0
    }
    guard used < RateLimit.burst else {
      suppressed += 1
      return (false, 0)
    }
    used += 1
    return (true, takeSuppressed())
  }

  /// How many lines were suppressed since one was written; resets the count.
  mutating func takeSuppressed() -> Int {
    defer { suppressed = 0 }
    return suppressed
  }
}
