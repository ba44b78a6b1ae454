// Owns the grammar of strings: what ends a run of plain bytes, escapes, surrogate pairs; decodes into the visitor.

extension JSONScanner {
  /// Reads a string; moves the scanner from its opening quote to just after its closing one.
  mutating func string(
    quote: UInt8, _ text: Span<UInt8>, into visitor: inout some JSONVisitor
  ) throws(JSONError) {
    index += 1
    while true {
      let start = index
      index = endOfRun(quote: quote, text)
      if start < index { visitor.run(start..<index, of: text) }
      guard index < text.count else { throw failure(.unexpectedEnd(expected: .closingQuote), text) }
      switch text[index] {
      case quote:
        index += 1
        return
      case ASCII.backslash:
        try escape(text, into: &visitor)
      case let control:
        throw failure(.controlCharacter(control), text)
      }
    }
  }

  /// The offset of the next byte that ends a run of plain text: the quote, a backslash, a control character.
  ///
  /// Eight bytes at a time with the classic tests for a zero byte and for a byte below n (Anderson, Bit
  /// Twiddling Hacks): both may err only above a true hit, so the lowest bit is exact.
  private func endOfRun(quote: UInt8, _ text: Span<UInt8>) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = ones * UInt64(quote)
    let backslashes = ones * UInt64(ASCII.backslash)
    let spaces = ones * UInt64(ASCII.space)
    let topBits = ones << 7
    var offset = index
    while offset + 8 <= text.count {
      let word = text.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
      let quoted = word ^ quotes
      let escaped = word ^ backslashes
      let hits =
        ((quoted &- ones) & ~quoted | (escaped &- ones) & ~escaped | (word &- spaces) & ~word) & topBits
      if hits != 0 { return offset + hits.trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < text.count {
      let byte = text[offset]
      if byte == quote || byte == ASCII.backslash || byte < 0x20 { break }
      offset += 1
    }
    return offset
  }

  /// Reads one escape; the scanner is at its backslash.
  private mutating func escape<Visitor: JSONVisitor>(
    _ text: Span<UInt8>, into visitor: inout Visitor
  ) throws(JSONError) {
    let start = index
    index += 1
    guard index < text.count else { throw failure(.unexpectedEnd(expected: .closingQuote), text) }
    let byte = text[index]
    index += 1
    switch byte {
    case ASCII.quote, ASCII.backslash, ASCII.slash: visitor.scalar(Unicode.Scalar(byte))
    case UInt8(ascii: "b"): visitor.scalar(Unicode.Scalar(ASCII.backspace))
    case UInt8(ascii: "f"): visitor.scalar(Unicode.Scalar(ASCII.formFeed))
    case UInt8(ascii: "n"): visitor.scalar(Unicode.Scalar(ASCII.lineFeed))
    case UInt8(ascii: "r"): visitor.scalar(Unicode.Scalar(ASCII.carriageReturn))
    case UInt8(ascii: "t"): visitor.scalar(Unicode.Scalar(ASCII.tab))
    case UInt8(ascii: "u"):
      if let scalar = try codePoint(from: start, text) {
        visitor.scalar(scalar)
      } else if !Visitor.takesLoneSurrogates {
        throw failure(.loneSurrogate, at: start, text)
      }
    case ASCII.apostrophe where dialect == .configuration: visitor.scalar("'")
    case ASCII.lineFeed where dialect == .configuration: break
    case ASCII.carriageReturn where dialect == .configuration:
      if index < text.count, text[index] == ASCII.lineFeed { index += 1 }
    default:
      let scalar = scalar(at: start + 1, text) ?? "\\"
      throw failure(.invalidEscape(scalar), at: start, text)
    }
  }

  /// Reads the digits after a `\u` that began at `start`, and the second half of a surrogate pair.
  ///
  /// - Returns: nil for half of a pair.
  private mutating func codePoint(from start: Int, _ text: Span<UInt8>) throws(JSONError) -> Unicode.Scalar? {
    let unit = try codeUnit(text)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if unit < 0xDC00, startsEscapedUnit(text) {
      let first = index
      index += 2
      let second = try codeUnit(text)
      if 0xDC00..<0xE000 ~= second {
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
      }
      // It stands for itself.
      index = first
    }
    return nil
  }

  private func startsEscapedUnit(_ text: Span<UInt8>) -> Bool {
    index + 2 <= text.count && text[index] == ASCII.backslash && text[index + 1] == UInt8(ascii: "u")
  }

  private mutating func codeUnit(_ text: Span<UInt8>) throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard index < text.count, let digit = ASCII.hexadecimal(text[index]) else {
        throw unexpected(expected: .hexadecimalDigit, text)
      }
      unit = unit << 4 | digit
      index += 1
    }
    return unit
  }
}
