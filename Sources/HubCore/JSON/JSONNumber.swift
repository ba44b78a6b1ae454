// Owns one JSON number: its source text, and its value as an integer or a double; it never loses a digit.

/// A number exactly as written; two numbers are equal if they are written alike.
package struct JSONNumber: Hashable, Sendable {
  /// The text of the number, valid by RFC 8259.
  package let text: String

  package init(_ value: Int64) {
    text = String(value)
  }

  /// - Returns: nil for an infinity or NaN, which JSON cannot express.
  package init?(_ value: Double) {
    guard value.isFinite else { return nil }
    text = value.description
  }

  init(unchecked text: String) {
    self.text = text
  }

  /// The number as an integer: nil if it has a fraction or an exponent (`1.0` and `1e3` are doubles), or is outside Int64.
  package var integer: Int64? { Int64(text) }

  /// The nearest double (ties to even); nil if the number is beyond the finite ones.
  package var double: Double? {
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }
}
