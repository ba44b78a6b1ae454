// Owns JSON's structure between the values; it reports to a visitor and builds nothing.

/// Reads one text from start to end, iteratively: the open containers are bits, so no input deepens the stack.
///
/// `text` must be valid UTF-8 (``JSON`` checks that first, in one fast pass); the grammar then deals with ASCII only. The
/// text is a parameter of every method because a span cannot be stored.
struct JSONScanner {
  let dialect: JSONDialect
  let depthLimit: Int
  var index = 0
  private var nesting = JSONNesting()

  /// - Parameter depthLimit: containers that may be open at once, clamped to `0...128`.
  init(dialect: JSONDialect, depthLimit: Int) {
    self.dialect = dialect
    self.depthLimit = min(max(depthLimit, 0), JSONNesting.capacity)
  }

  /// Reads the whole text; stops at the first error.
  mutating func scan(_ text: Span<UInt8>, into visitor: inout some JSONVisitor) throws(JSONError) {
    try skipByteOrderMark(text)
    var state = JSONError.Expectation.value
    while true {
      try skipTrivia(text)
      guard index < text.count else {
        if state == .endOfText { return }
        throw failure(.unexpectedEnd(expected: state), text)
      }
      let byte = text[index]
      switch state {
      case .value, .valueOrClosingBracket:
        if byte == ASCII.closeBracket, state == .valueOrClosingBracket {
          state = close(into: &visitor)
        } else {
          state = try value(byte, state, text, into: &visitor)
        }
      case .key, .keyOrClosingBrace:
        if byte == ASCII.closeBrace, state == .keyOrClosingBrace {
          state = close(into: &visitor)
        } else {
          try key(byte, state, text, into: &visitor)
          state = .colon
        }
      case .colon:
        guard byte == ASCII.colon else { throw unexpected(expected: state, text) }
        index += 1
        state = .value
      case .commaOrClosingBracket:
        state = try separator(
          byte, closing: ASCII.closeBracket, then: .value, or: .valueOrClosingBracket, state, text,
          into: &visitor)
      case .commaOrClosingBrace:
        state = try separator(
          byte, closing: ASCII.closeBrace, then: .key, or: .keyOrClosingBrace, state, text, into: &visitor)
      default:
        throw unexpected(expected: .endOfText, text)
      }
    }
  }

  // MARK: The steps of the loop: each reads one token and returns what may follow.

  private mutating func value(
    _ byte: UInt8, _ state: JSONError.Expectation, _ text: Span<UInt8>, into visitor: inout some JSONVisitor
  ) throws(JSONError) -> JSONError.Expectation {
    let start = index
    switch byte {
    case ASCII.quote:
      try string(quote: byte, text, into: &visitor)
      visitor.string(at: start, of: text)
    case ASCII.apostrophe where dialect == .configuration:
      try string(quote: byte, text, into: &visitor)
      visitor.string(at: start, of: text)
    case ASCII.openBrace:
      try open(.object, text, into: &visitor)
      return .keyOrClosingBrace
    case ASCII.openBracket:
      try open(.array, text, into: &visitor)
      return .valueOrClosingBracket
    case ASCII.minus, ASCII.zero...UInt8(ascii: "9"):
      visitor.number(try number(text), of: text)
    case _ where ASCII.isWord(byte):
      try word(text, into: &visitor)
    default:
      throw unexpected(expected: state, text)
    }
    return afterValue
  }

  private mutating func key(
    _ byte: UInt8, _ state: JSONError.Expectation, _ text: Span<UInt8>, into visitor: inout some JSONVisitor
  ) throws(JSONError) {
    let start = index
    switch byte {
    case ASCII.quote:
      try string(quote: byte, text, into: &visitor)
    case ASCII.apostrophe where dialect == .configuration:
      try string(quote: byte, text, into: &visitor)
    case _ where dialect == .configuration && ASCII.isWord(byte) && !ASCII.isDigit(byte):
      visitor.run(endOfWord(text), of: text)
    default:
      throw unexpected(expected: state, text)
    }
    visitor.key(at: start, of: text)
  }

  private mutating func separator(
    _ byte: UInt8, closing: UInt8, then next: JSONError.Expectation, or trailing: JSONError.Expectation,
    _ state: JSONError.Expectation, _ text: Span<UInt8>, into visitor: inout some JSONVisitor
  ) throws(JSONError) -> JSONError.Expectation {
    if byte == closing { return close(into: &visitor) }
    guard byte == ASCII.comma else { throw unexpected(expected: state, text) }
    index += 1
    return dialect == .configuration ? trailing : next
  }

  private mutating func open(
    _ container: JSONContainer, _ text: Span<UInt8>, into visitor: inout some JSONVisitor
  ) throws(JSONError) {
    guard nesting.depth < depthLimit else { throw failure(.tooDeep(limit: depthLimit), text) }
    nesting.push(container)
    visitor.begin(container, at: index, of: text)
    index += 1
  }

  private mutating func close(into visitor: inout some JSONVisitor) -> JSONError.Expectation {
    if let container = nesting.innermost { visitor.end(container) }
    nesting.pop()
    index += 1
    return afterValue
  }

  private var afterValue: JSONError.Expectation {
    switch nesting.innermost {
    case .array: .commaOrClosingBracket
    case .object: .commaOrClosingBrace
    case nil: .endOfText
    }
  }
}

extension JSONScanner {
  /// The error for `reason` at `offset`, by default the scanner's offset.
  @inline(never)
  func failure(_ reason: JSONError.Reason, at offset: Int? = nil, _ text: Span<UInt8>) -> JSONError {
    JSONError(reason: reason, position: .start.advanced(to: offset ?? index, in: text))
  }

  /// The error for the character at the scanner's offset, or for the end of the text.
  @inline(never)
  func unexpected(expected: JSONError.Expectation, _ text: Span<UInt8>) -> JSONError {
    guard let scalar = scalar(at: index, text) else {
      return failure(.unexpectedEnd(expected: expected), text)
    }
    return failure(.unexpected(scalar, expected: expected), text)
  }

  /// The character that starts at `offset`; nil at the end of the text.
  func scalar(at offset: Int, _ text: Span<UInt8>) -> Unicode.Scalar? {
    guard offset < text.count else { return nil }
    let bytes = (offset..<min(offset + 4, text.count)).map { text[$0] }
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.first
  }
}
