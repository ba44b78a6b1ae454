// How long requests took: counted in classes, so that any number of them takes the same memory.

/// Nanoseconds, in 64 classes for each power of two: a percentile is at most a 64th too high. The worst is exact.
struct BenchTimes {
  private var counts = [UInt64](repeating: 0, count: 64 * 59)
  private(set) var count: UInt64 = 0
  private(set) var worst: UInt64 = 0

  mutating func add(_ time: UInt64, count more: Int) {
    counts[BenchTimes.index(of: time)] += UInt64(more)
    count += UInt64(more)
    worst = max(worst, time)
  }

  static func index(of time: UInt64) -> Int {
    if time < 64 { return Int(time) }
    let exponent = 63 - time.leadingZeroBitCount
    return (exponent - 5) * 64 + Int(time >> UInt64(exponent - 6) & 63)
  }

  /// The longest time of a class.
  static func longest(of index: Int) -> UInt64 {
    if index < 64 { return UInt64(index) }
    let shift = UInt64(index / 64 - 1)
    return UInt64(64 + index % 64) << shift | (1 << shift - 1)
  }

  /// The time that this share of all, in thousandths, did not exceed; 0 if there are none.
  func percentile(_ thousandths: UInt64) -> UInt64 {
    let (whole, rest) = count.quotientAndRemainder(dividingBy: 1000)
    let needed = whole * thousandths + (rest * thousandths + 999) / 1000
    var passed: UInt64 = 0
    for index in counts.indices {
      passed += counts[index]
      if passed > 0, passed >= needed { return min(worst, BenchTimes.longest(of: index)) }
    }
    return 0
  }
}
