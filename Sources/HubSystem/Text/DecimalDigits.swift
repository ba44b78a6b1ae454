// A double with as many decimal digits as are asked for, correctly rounded by the C library.

internal import CLinux

package enum DecimalDigits {
  /// `1.25e+02` of 125 with three digits.
  ///
  /// - Parameter count: from 1 to 767.
  package static func text(of double: Double, count: Int) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 16) { room in
      clinux_write_digits(double, Int32(count - 1), room.baseAddress, room.count)
      return String(cString: room.baseAddress!)
    }
  }
}
