// Owns a position in a token list and the questions a parser asks there; it knows brackets but no grammar.

struct Cursor {
  /// The limit for nested types, because their parser is recursive.
  static let depthLimit = 128

  let list: TokenList
  private(set) var index: Int
  /// The index of the token that ends what this cursor may read: a closing bracket or the source's end.
  let limit: Int
  var depth = 0

  init(_ list: TokenList) {
    self.list = list
    index = 0
    limit = list.tokens.count - 1
  }

  /// A cursor for the content of the brackets that open here.
  private init(inside opening: Int, of list: TokenList, closer: Int, depth: Int) {
    self.list = list
    index = opening + 1
    limit = closer
    self.depth = depth
  }

  var isAtEnd: Bool { index >= limit }
  var token: Token { list.tokens[min(index, limit)] }
  var offset: Int { token.start }
  var text: String { list.text(token) }

  private func token(ahead: Int) -> Token? {
    (0..<limit).contains(index + ahead) ? list.tokens[index + ahead] : nil
  }

  /// Whether the token `ahead` of this one is the symbol.
  func isSymbol(_ symbol: Unicode.Scalar, ahead: Int = 0) -> Bool {
    guard let token = token(ahead: ahead), token.kind == .symbol, token.end - token.start == 1 else {
      return false
    }
    return UInt32(list.bytes[token.start]) == symbol.value
  }

  /// Whether the symbols follow with nothing between them.
  func isOperator(_ symbols: String) -> Bool {
    for (ahead, symbol) in symbols.unicodeScalars.enumerated() {
      guard isSymbol(symbol, ahead: ahead) else { return false }
      if ahead > 0, list.tokens[index + ahead].gap > .none { return false }
    }
    return true
  }

  func isKind(_ kind: Token.Kind, ahead: Int = 0) -> Bool { token(ahead: ahead)?.kind == kind }

  func isWord(_ word: String, ahead: Int = 0) -> Bool {
    guard let token = token(ahead: ahead), token.kind == .word else { return false }
    return list.bytes[token.start..<token.end].elementsEqual(word.utf8)
  }

  /// The word here, if there is one.
  var word: String? { isKind(.word) ? text : nil }

  mutating func advance(_ count: Int = 1) { index = min(index + count, limit) }

  mutating func back(to index: Int) { self.index = index }

  mutating func consumeSymbol(_ symbol: Unicode.Scalar) -> Bool {
    guard isSymbol(symbol) else { return false }
    advance()
    return true
  }

  mutating func consumeOperator(_ symbols: String) -> Bool {
    guard isOperator(symbols) else { return false }
    advance(symbols.unicodeScalars.count)
    return true
  }

  mutating func consumeWord(_ word: String) -> Bool {
    guard isWord(word) else { return false }
    advance()
    return true
  }

  /// The content of the brackets that open here.
  var inside: Cursor? {
    guard !isAtEnd, let closer = list.closer(of: index) else { return nil }
    return Cursor(inside: index, of: list, closer: closer, depth: depth)
  }

  /// Moves past the brackets that open here, or past one token.
  mutating func skipElement() {
    guard !isAtEnd else { return }
    index = min((list.closer(of: index) ?? index) + 1, limit)
  }

  func failure(_ message: String) -> SyntaxFailure { SyntaxFailure(message: message, offset: offset) }
}
