// Owns the possible mistakes in a JSON text, their positions and their wording. It never decides that something is wrong.

/// The first error in a text, and its position.
package struct JSONError: Error, Hashable, Sendable {
  /// What is wrong.
  package let reason: Reason

  /// Where it is wrong; the end of the text if something is missing.
  package let position: JSONPosition

  package init(reason: Reason, position: JSONPosition) {
    self.reason = reason
    self.position = position
  }

  package enum Reason: Hashable, Sendable {
    /// The text ends where something must follow.
    case unexpectedEnd(expected: Expectation)
    /// A character that is not allowed here.
    case unexpected(Unicode.Scalar, expected: Expectation)
    /// A bare word other than `true`, `false` and `null` (only its beginning, if it is long).
    case unknownWord(String)
    /// The bytes are not UTF-8 here.
    case invalidUTF8
    /// The text starts with a byte order mark, which RFC 8259 forbids to write.
    case byteOrderMark
    /// A character below U+0020 inside a string, where it must be written as an escape.
    case controlCharacter(UInt8)
    /// A backslash in a string, followed by this character.
    case invalidEscape(Unicode.Scalar)
    /// A `\u` escape for one half of a surrogate pair, without the other half.
    case loneSurrogate
    /// A number with a digit after a leading zero.
    case leadingZero
    /// A number followed by a letter or another word character, for example `0x10`.
    case malformedNumber
    /// Arrays and objects are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// An object names a key twice (reported only where duplicates are refused).
    case duplicateKey(String, first: JSONPosition)
  }

  /// What the grammar allows at some position in a text.
  package enum Expectation: Hashable, Sendable {
    case value
    case valueOrClosingBracket
    case key
    case keyOrClosingBrace
    case colon
    case commaOrClosingBracket
    case commaOrClosingBrace
    case closingQuote
    case digit
    case hexadecimalDigit
    case endOfComment
    case endOfText
  }
}

extension JSONError: CustomStringConvertible {
  /// `line 3, column 7: unexpected ']', expected a value`
  package var description: String { "\(position): \(reason)" }
}

extension JSONError.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unexpectedEnd(let expected): "the text ends here, expected \(expected)"
    case .unexpected(let scalar, let expected): "unexpected \(name(of: scalar)), expected \(expected)"
    case .unknownWord(let word): "unknown word '\(word)', expected a value (text needs quotes)"
    case .invalidUTF8: "not valid UTF-8"
    case .byteOrderMark: "byte order mark, expected the text without one"
    case .controlCharacter(let byte):
      "control character \(name(of: Unicode.Scalar(byte))) in a string, expected an escape"
    case .invalidEscape(let scalar): "\(name(of: scalar)) cannot follow a backslash in a string"
    case .loneSurrogate: "half of a surrogate pair, expected both (as in \\ud83d\\ude00)"
    case .leadingZero: "a number cannot have leading zeros"
    case .malformedNumber: "malformed number, expected decimal digits such as 10, -2.5 or 1e9"
    case .tooDeep(let limit): "nested deeper than \(limit) levels"
    case .duplicateKey(let key, let first): "key \(JSONWriter.quoted(key)) appears twice, first at \(first)"
    }
  }

  private func name(of scalar: Unicode.Scalar) -> String {
    if scalar == "'" { return "an apostrophe" }
    switch scalar.properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned,
      .privateUse:
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    default:
      return "'\(scalar)'"
    }
  }
}

extension JSONError.Expectation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .value: "a value"
    case .valueOrClosingBracket: "a value or ']'"
    case .key: "a key"
    case .keyOrClosingBrace: "a key or '}'"
    case .colon: "':'"
    case .commaOrClosingBracket: "',' or ']'"
    case .commaOrClosingBrace: "',' or '}'"
    case .closingQuote: "the closing quote of a string"
    case .digit: "a digit"
    case .hexadecimalDigit: "a hexadecimal digit"
    case .endOfComment: "the end of a comment, '*/'"
    case .endOfText: "the end of the text"
    }
  }
}
