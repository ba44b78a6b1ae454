// Owns a source together with its tokens and the pairing of its brackets; it never changes them.

struct TokenList: Sendable {
  let bytes: [UInt8]
  let tokens: [Token]
  /// For an opening bracket the index of the closing one.
  private let closers: [Int: Int]

  init(bytes: [UInt8], tokens: [Token]) throws(SyntaxFailure) {
    self.bytes = bytes
    self.tokens = tokens
    var closers: [Int: Int] = [:]
    var open: [(index: Int, closer: UInt8)] = []
    for (index, token) in tokens.enumerated() where token.kind == .symbol {
      switch bytes[token.start] {
      case UInt8(ascii: "("): open.append((index, UInt8(ascii: ")")))
      case UInt8(ascii: "["): open.append((index, UInt8(ascii: "]")))
      case UInt8(ascii: "{"): open.append((index, UInt8(ascii: "}")))
      case let byte where Set(")]}".utf8).contains(byte):
        guard let last = open.popLast(), last.closer == byte else {
          throw SyntaxFailure(message: "this bracket has no opening bracket", offset: token.start)
        }
        closers[last.index] = index
      default: break
      }
    }
    if let last = open.last {
      throw SyntaxFailure(message: "this bracket is never closed", offset: tokens[last.index].start)
    }
    self.closers = closers
  }

  func closer(of index: Int) -> Int? { closers[index] }

  func text(_ token: Token) -> String {
    String(decoding: bytes[token.start..<token.end], as: UTF8.self)
  }

  /// The source between two tokens, unchanged, with its comments and line breaks.
  func source(_ range: Range<Int>) -> String {
    guard let first = range.first, let last = range.last else { return "" }
    return String(decoding: bytes[tokens[first].start..<tokens[last].end], as: UTF8.self)
  }

  /// The tokens of a range on one line, without comments; `Self` is written as `selfType` if given.
  func text(_ range: Range<Int>, selfType: String? = nil) -> String {
    var result = ""
    for index in range {
      let token = tokens[index]
      if index > range.lowerBound, token.gap > .none { result += " " }
      let text = text(token)
      result += text == "Self" ? selfType ?? text : text
    }
    return result
  }
}

struct Token: Equatable, Sendable {
  enum Kind: Sendable {
    /// A name or keyword; with backticks when the source has them. Also `$0` and `_`.
    case word
    case number
    /// A whole string literal, with its delimiters and everything interpolated.
    case string
    case regex
    /// `#if`, `#elseif`, `#else` or `#endif`.
    case directive
    /// Any other `#name`.
    case pound
    /// One character of punctuation or of an operator: readers put operators together, because `>>` closes two generic
    /// argument lists in a type and is one operator in an expression.
    case symbol
    case end
  }

  /// What separates a token from the one before it.
  enum Gap: Comparable, Sendable {
    case none, space, newline
  }

  var kind: Kind
  /// UTF-8 offsets into the source.
  var start: Int
  var end: Int
  var gap: Gap
}

/// Source that the scanner cannot read, and where it stopped understanding.
struct SyntaxFailure: Error, Equatable, Sendable {
  var message: String
  /// UTF-8 offset into the source.
  var offset: Int
}
