// How times are shown: in UTC, from nanoseconds since 1970. It has no clock and no time zone.

package enum MomentText {
  /// Nanoseconds since 1970 as `2026-07-29T12:00:00.123456789Z`.
  package static func rfc3339(_ nanoseconds: Int64) -> String {
    moment(nanoseconds, separator: "T", digits: 9) + "Z"
  }

  /// Nanoseconds since 1970 as `2026-07-29 12:00:00 UTC`.
  package static func human(_ nanoseconds: Int64) -> String {
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
