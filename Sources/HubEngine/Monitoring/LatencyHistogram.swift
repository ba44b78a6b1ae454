// Owns a distribution of times: counts in classes of nearly equal relative width, so that percentiles cost little
// memory and a few instructions. Times are parameters.

import HubCore

/// Times in nanoseconds, in eight classes for each power of two: a percentile is at most an eighth too high. 2.4 KB.
package struct LatencyHistogram: Sendable, Equatable {
  /// The last class is for nine minutes and more.
  static let classCount = (39 - 2) * 8 + 8

  private(set) var counts = [UInt64](repeating: 0, count: classCount)
  private(set) var longest: UInt64 = 0

  package init() {}

  /// - Parameter counts: one for each class.
  init(counts: [UInt64], longest: UInt64) { (self.counts, self.longest) = (counts, longest) }

  @inline(__always)
  package mutating func add(_ time: UInt64, count: UInt64 = 1) {
    counts[LatencyHistogram.index(of: time)] &+= count
    longest = max(longest, time)
  }

  @inline(__always)
  static func index(of time: UInt64) -> Int {
    if time < 8 { return Int(time) }
    let exponent = min(39, 63 - time.leadingZeroBitCount)
    if exponent == 39 { return time >= 1 << 40 ? classCount - 1 : (39 - 2) * 8 + Int(time >> 36 & 7) }
    return (exponent - 2) * 8 + Int(time >> UInt64(exponent - 3) & 7)
  }

  /// The longest time of a class.
  static func longest(of index: Int) -> UInt64 {
    if index < 8 { return UInt64(index) }
    return UInt64(8 + index % 8 + 1) << UInt64(index / 8 - 1) - 1
  }

  package mutating func merge(_ other: LatencyHistogram) {
    for index in counts.indices { counts[index] &+= other.counts[index] }
    longest = max(longest, other.longest)
  }

  /// The time that this share of all, in hundredths, did not exceed; 0 if there are none.
  package func percentile(_ share: UInt64) -> UInt64 {
    let total = counts.reduce(0, &+)
    // No step exceeds the total.
    let needed = total / 100 * share + (total % 100 * share + 99) / 100
    var seen: UInt64 = 0
    for index in counts.indices {
      seen &+= counts[index]
      if seen > 0, seen >= needed { return min(longest, LatencyHistogram.longest(of: index)) }
    }
    return 0
  }
}
