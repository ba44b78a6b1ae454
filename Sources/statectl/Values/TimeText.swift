// How times are read and shown: lengths of time from the command line, moments in UTC.

enum TimeText {
  /// Seconds, or a decimal number and one of ms, s, m, h, d; nil for anything else. Exact to the nanosecond.
  static func duration(_ text: String) -> Duration? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let unit = units[String(text.dropFirst(digits.count))] else { return nil }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, !digits.isEmpty, digits != ".",
      let whole = Int64(parts[0].isEmpty ? "0" : parts[0])
    else { return nil }
    let decimals = parts.count == 2 ? parts[1].prefix(9) : ""
    let padded = decimals + String(repeating: "0", count: 9 - decimals.count)
    guard let billionths = Int64(padded) else { return nil }
    // In nanoseconds of 128 bits nothing can overflow before the check.
    let nanoseconds = (Int128(whole) * 1_000_000_000 + Int128(billionths)) * unit / 1000
    guard nanoseconds <= Int128(Int64.max) else { return nil }
    return .nanoseconds(Int64(nanoseconds))
  }

  /// Rounded up, so that a time is never none.
  static func milliseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    return UInt64(seconds) * 1000 + UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// In milliseconds.
  private static let units: [String: Int128] = [
    "": 1000, "s": 1000, "ms": 1, "m": 60_000, "h": 3_600_000, "d": 86_400_000,
  ]

  /// `2026-07-29T12:00:00.123456789Z` of nanoseconds since 1970.
  static func rfc3339(_ nanoseconds: Int64) -> String { moment(nanoseconds, separator: "T", digits: 9) + "Z" }

  /// `2026-07-29 12:00:00 UTC` of nanoseconds since 1970.
  static func human(_ nanoseconds: Int64) -> String {
    moment(nanoseconds, separator: " ", digits: 0) + " UTC"
  }

  private static func moment(_ nanoseconds: Int64, separator: String, digits: Int) -> String {
    let (seconds, fraction) = floorDivide(nanoseconds, by: 1_000_000_000)
    let (days, second) = floorDivide(seconds, by: 86_400)
    let (year, month, day) = civil(days)
    let date = "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))"
    let time = "\(pad(second / 3600, 2)):\(pad(second / 60 % 60, 2)):\(pad(second % 60, 2))"
    return date + separator + time + (digits > 0 ? "." + pad(fraction, 9).prefix(digits) : "")
  }

  private static func floorDivide(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
    let remainder = value % divisor
    return remainder < 0 ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
  }

  /// The date of a day since 1970-01-01 in the proleptic Gregorian calendar, by eras of 400 years that start in
  /// March (Howard Hinnant's `civil_from_days`).
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(day + 719_468, by: 146_097)
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (era * 400 + year + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}
