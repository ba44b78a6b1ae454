// Which characters are invisible or misleading, and must not reach a terminal or a log unescaped.

extension Unicode.Scalar {
  /// Control characters; those that change the direction of writing, which disguise a text; line separators; and invisible
  /// characters.
  ///
  /// The joiners U+200C and U+200D and the variation selectors are not among them: Persian, the scripts of India and many
  /// emoji need them. A table, because the standard library's properties of characters are on pages that no start needs.
  package var isHidden: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F: true
    // All others are above this.
    case ..<0xAD: false
    case 0xAD, 0x61C, 0x180E, 0x200B, 0x200E...0x200F: true
    case 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
    case 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0001...0xE007F: true
    default: false
    }
  }

  /// The character as JSON escapes it.
  package var escape: String {
    UTF16.encode(self)!.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }

  /// Appends it, or its escape if it is hidden.
  package func appendVisible(to text: inout String) {
    switch self {
    case "\n": text += "\\n"
    case "\r": text += "\\r"
    case "\t": text += "\\t"
    case _ where isHidden: text += escape
    default: text.unicodeScalars.append(self)
    }
  }
}

extension String {
  /// The text on one line, with characters that a terminal might obey or not show escaped as in JSON.
  package var visible: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    if unicodeScalars.allSatisfy({ !$0.isHidden }) { return self }
    var result = ""
    for scalar in unicodeScalars { scalar.appendVisible(to: &result) }
    return result
  }
}
