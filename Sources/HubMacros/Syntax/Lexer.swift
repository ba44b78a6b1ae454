// Owns the splitting of Swift source into tokens; it never interprets them.

struct Lexer {
  /// The limit for nested string interpolations, because the lexer is recursive.
  static let interpolationLimit = 64

  let bytes: [UInt8]
  var position = 0
  var interpolationDepth = 0
  /// The token before: a slash after `func` names an operator.
  private var previous = 0..<0

  init(_ source: String) {
    bytes = Array(source.utf8)
  }

  /// The tokens of `source`, ended by one of kind `.end`.
  static func tokens(of source: String) throws(SyntaxFailure) -> TokenList {
    var lexer = Lexer(source)
    var tokens: [Token] = []
    repeat {
      tokens.append(try lexer.next())
    } while tokens[tokens.count - 1].kind != .end
    return try TokenList(bytes: lexer.bytes, tokens: tokens)
  }

  func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  func matches(_ text: StaticString, at index: Int) -> Bool {
    guard index + text.utf8CodeUnitCount <= bytes.count else { return false }
    return text.withUTF8Buffer { $0.elementsEqual(bytes[index..<index + $0.count]) }
  }

  mutating func next() throws(SyntaxFailure) -> Token {
    let gap = try skipTrivia()
    let start = position
    let kind = try scanToken(after: gap)
    previous = start..<position
    return Token(kind: kind, start: start, end: position, gap: gap)
  }

  private mutating func scanToken(after gap: Token.Gap) throws(SyntaxFailure) -> Token.Kind {
    guard let byte = byte(at: position) else { return .end }
    switch byte {
    case UInt8(ascii: "\""):
      try skipString(hashes: 0)
      return .string
    case UInt8(ascii: "#"):
      return try scanHash()
    case UInt8(ascii: "`"):
      return try scanEscapedName()
    case UInt8(ascii: "$"):
      position += 1
      skipName()
      return .word
    case UInt8(ascii: "/"):
      if !bytes[previous].elementsEqual("func".utf8), let end = regexEnd(after: gap) {
        position = end
        return .regex
      }
      position += 1
      return .symbol
    case _ where CharacterClass.isDigit(byte):
      skipNumber()
      return .number
    case _ where CharacterClass.isNameHead(byte):
      skipName()
      return .word
    case _ where byte >= 0x80:
      return scanUnicode()
    default:
      position += 1
      return .symbol
    }
  }

  // MARK: Trivia

  private mutating func skipTrivia() throws(SyntaxFailure) -> Token.Gap {
    var gap = Token.Gap.none
    while let byte = byte(at: position) {
      if CharacterClass.isWhitespace(byte) {
        gap = max(gap, CharacterClass.isNewline(byte) ? .newline : .space)
        position += 1
      } else if matches("//", at: position) {
        while let byte = self.byte(at: position), !CharacterClass.isNewline(byte) { position += 1 }
        gap = max(gap, .space)
      } else if matches("/*", at: position) {
        gap = max(gap, try skipBlockComment())
      } else {
        break
      }
    }
    return gap
  }

  private mutating func skipBlockComment() throws(SyntaxFailure) -> Token.Gap {
    let start = position
    var depth = 0
    var gap = Token.Gap.space
    repeat {
      if matches("/*", at: position) {
        depth += 1
        position += 2
      } else if matches("*/", at: position) {
        depth -= 1
        position += 2
      } else if let byte = byte(at: position) {
        if CharacterClass.isNewline(byte) { gap = .newline }
        position += 1
      } else {
        throw SyntaxFailure(message: "this comment has no end", offset: start)
      }
    } while depth > 0
    return gap
  }

  // MARK: Names and numbers

  private mutating func skipName() {
    while let byte = byte(at: position) {
      if CharacterClass.isName(byte) {
        position += 1
      } else if byte >= 0x80, let scalar = scalar(at: position), !CharacterClass.isOperator(scalar) {
        position += UTF8.width(scalar)
      } else {
        return
      }
    }
  }

  private mutating func scanUnicode() -> Token.Kind {
    guard let scalar = scalar(at: position), CharacterClass.isOperator(scalar) else {
      skipName()
      return .word
    }
    position += UTF8.width(scalar)
    return .symbol
  }

  private mutating func scanEscapedName() throws(SyntaxFailure) -> Token.Kind {
    let start = position
    position += 1
    while let byte = byte(at: position), !CharacterClass.isNewline(byte) {
      position += 1
      if byte == UInt8(ascii: "`") { return .word }
    }
    throw SyntaxFailure(message: "this escaped name has no closing backtick", offset: start)
  }

  /// Digits of any base with a fraction. `1e-5` becomes three tokens, which is harmless, because nothing here reads
  /// numbers.
  private mutating func skipNumber() {
    while let byte = byte(at: position) {
      if byte == UInt8(ascii: ".") {
        guard let digit = self.byte(at: position + 1), CharacterClass.isDigit(digit) else { return }
      } else if !CharacterClass.isName(byte) {
        return
      }
      position += 1
    }
  }

  /// The source came from a `String`, so it is valid UTF-8.
  private func scalar(at index: Int) -> Unicode.Scalar? {
    var iterator = bytes[index...].makeIterator()
    var decoder = UTF8()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
    return scalar
  }
}
