// Owns which characters make names and which make operators; it does not make tokens.

enum CharacterClass {
  static let operators = Set("/=-+!*%<>&|^~?".utf8)

  static func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0
  }

  static func isNewline(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isNameHead(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
  }

  static func isName(_ byte: UInt8) -> Bool {
    isNameHead(byte) || isDigit(byte) || byte == UInt8(ascii: "$")
  }

  /// The scalars outside ASCII that Swift's grammar gives to operators; all others may occur in names.
  static func isOperator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xA1...0xA7, 0xA9, 0xAB, 0xAC, 0xAE, 0xB0, 0xB1, 0xB6, 0xBB, 0xBF, 0xD7, 0xF7: true
    case 0x2016, 0x2017, 0x2020...0x2027, 0x2030...0x203E, 0x2041...0x2053, 0x2055...0x205E: true
    case 0x2190...0x23FF, 0x2500...0x2775, 0x2794...0x2BFF, 0x2E00...0x2E7F: true
    case 0x3001...0x3003, 0x3008...0x3020, 0x3030: true
    default: false
    }
  }
}
