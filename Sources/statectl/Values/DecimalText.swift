// Whole numbers of small units as decimal numbers, with every digit.

enum DecimalText {
  /// `1.500` of 1500 with three digits.
  static func of(_ value: UInt64, digits: Int) -> String {
    let text = String(value)
    if digits == 0 { return text }
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    return "\(padded.dropLast(digits)).\(padded.suffix(digits))"
  }
}
