// Owns the grammar of everything but structure and strings: space, comments, numbers, words; it converts nothing.

extension JSONScanner {
  mutating func skipByteOrderMark(_ text: Span<UInt8>) throws(JSONError) {
    guard text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF else { return }
    guard dialect == .configuration else { throw failure(.byteOrderMark, text) }
    index = 3
  }

  /// Moves to the next significant byte, past spaces and, in a configuration, comments.
  @inline(__always)
  mutating func skipTrivia(_ text: Span<UInt8>) throws(JSONError) {
    while index < text.count {
      switch text[index] {
      case ASCII.space, ASCII.lineFeed, ASCII.carriageReturn, ASCII.tab:
        index += 1
      case ASCII.slash where dialect == .configuration:
        guard try comment(text) else { return }
      default:
        return
      }
    }
  }

  /// Moves past the comment that starts here; returns false, without moving, if this slash does not start one.
  private mutating func comment(_ text: Span<UInt8>) throws(JSONError) -> Bool {
    switch index + 1 < text.count ? text[index + 1] : 0 {
    case ASCII.slash:
      while index < text.count, text[index] != ASCII.lineFeed, text[index] != ASCII.carriageReturn {
        index += 1
      }
    case ASCII.asterisk:
      index += 2
      while index + 1 < text.count, text[index] != ASCII.asterisk || text[index + 1] != ASCII.slash {
        index += 1
      }
      guard index + 1 < text.count else {
        throw failure(.unexpectedEnd(expected: .endOfComment), at: text.count, text)
      }
      index += 2
    default:
      return false
    }
    return true
  }

  /// Reads a number and returns its range; the scanner is at its minus sign or first digit.
  mutating func number(_ text: Span<UInt8>) throws(JSONError) -> Range<Int> {
    let start = index
    if text[index] == ASCII.minus { index += 1 }
    let first = index
    try digits(text)
    if text[first] == ASCII.zero, index > first + 1 { throw failure(.leadingZero, at: start, text) }
    if index < text.count, text[index] == ASCII.point {
      index += 1
      try digits(text)
    }
    if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < text.count, text[index] == ASCII.plus || text[index] == ASCII.minus { index += 1 }
      try digits(text)
    }
    if index < text.count, ASCII.isWord(text[index]) || text[index] == ASCII.point {
      throw failure(.malformedNumber, at: start, text)
    }
    return start..<index
  }

  /// Reads one or more digits.
  @inline(__always)
  private mutating func digits(_ text: Span<UInt8>) throws(JSONError) {
    let start = index
    while index < text.count, ASCII.isDigit(text[index]) { index += 1 }
    guard index > start else { throw unexpected(expected: .digit, text) }
  }

  /// Reads `null`, `true` or `false`; the scanner is at its first byte.
  mutating func word(_ text: Span<UInt8>, into visitor: inout some JSONVisitor) throws(JSONError) {
    let range = endOfWord(text)
    if matches("true", range, text) {
      visitor.boolean(true, at: range.lowerBound, of: text)
    } else if matches("false", range, text) {
      visitor.boolean(false, at: range.lowerBound, of: text)
    } else if matches("null", range, text) {
      visitor.null(at: range.lowerBound, of: text)
    } else {
      let shown = range.prefix(40).map { text[$0] }
      throw failure(.unknownWord(String(decoding: shown, as: UTF8.self)), at: range.lowerBound, text)
    }
  }

  /// Reads the word at the scanner's offset and returns its range.
  mutating func endOfWord(_ text: Span<UInt8>) -> Range<Int> {
    let start = index
    while index < text.count, ASCII.isWord(text[index]) { index += 1 }
    return start..<index
  }

  @inline(__always)
  private func matches(_ word: StaticString, _ range: Range<Int>, _ text: Span<UInt8>) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { letters in
      range.allSatisfy { text[$0] == letters[$0 - range.lowerBound] }
    }
  }
}
