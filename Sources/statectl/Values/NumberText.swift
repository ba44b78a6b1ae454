// Whether a double holds a decimal number exactly, so that it is displayed as it was written.

internal import HubSystem

enum NumberText {
  /// - Parameter text: a number in JSON's grammar.
  /// - Returns: false if a digit would be lost, for example of a long serial number, or if the number is too large for
  ///   a double.
  static func isHeld(_ text: String) -> Bool {
    guard let written = Digits(text[...]) else { return false }
    guard let double = Double(text), double.isFinite else { return written.isZero }
    if Digits(double.description[...]) == written { return true }
    // A whole number must be exact. A fraction may have more digits than the shortest form needs.
    guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) else {
      return false
    }
    return written.count <= mostDigits
      && Digits(DecimalDigits.text(of: double, count: written.count)[...]) == written
  }

  /// No double has more significant decimal digits.
  private static let mostDigits = 767

  /// The digits without zeros at both ends, and the power of ten of the first.
  private struct Digits: Equatable {
    private let digits: [UInt8]
    private let exponent: Int

    /// - Returns: nil if the exponent is beyond all numbers.
    init?(_ text: Substring) {
      let parts = text.utf8.drop { $0 == UInt8(ascii: "-") }.split(maxSplits: 1) {
        $0 | 0x20 == UInt8(ascii: "e")
      }
      let mantissa = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      let all = mantissa.flatMap { $0 }
      let leading = all.prefix { $0 == UInt8(ascii: "0") }.count
      digits = all.dropFirst(leading).reversed().drop { $0 == UInt8(ascii: "0") }.reversed()
      guard !digits.isEmpty else {
        exponent = 0
        return
      }
      guard let power = parts.count == 1 ? 0 : Int(Substring(parts[1])), abs(power) < 1 << 32 else {
        return nil
      }
      exponent = power + mantissa[0].count - leading
    }

    var isZero: Bool { digits.isEmpty }
    var count: Int { digits.count }
  }
}
