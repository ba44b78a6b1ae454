// How times are read and shown: lengths of time from the command line, moments in UTC.

internal import HubCore

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
    // 128-bit nanoseconds cannot overflow before the check.
    let nanoseconds = (Int128(whole) * 1_000_000_000 + Int128(billionths)) * unit / 1000
    guard nanoseconds <= Int128(Int64.max) else { return nil }
    return .nanoseconds(Int64(nanoseconds))
  }

  /// Rounded up, so that a time is never zero.
  static func milliseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    return UInt64(seconds) * 1000 + UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// In milliseconds.
  private static let units: [String: Int128] = [
    "": 1000, "s": 1000, "ms": 1, "m": 60_000, "h": 3_600_000, "d": 86_400_000,
  ]

  /// `2026-07-29T12:00:00.123456789Z` of nanoseconds since 1970.
  static func rfc3339(_ nanoseconds: Int64) -> String { MomentText.rfc3339(nanoseconds) }

  /// `12:00:00.123`, in UTC: of what happens now.
  static func short(_ nanoseconds: Int64) -> String { String(rfc3339(nanoseconds).dropFirst(11).prefix(12)) }

  /// `2026-07-29 12:00:00 UTC` of nanoseconds since 1970.
  static func human(_ nanoseconds: Int64) -> String { MomentText.human(nanoseconds) }
}
