// Owns finding the end of string and regular expression literals, with all their delimiters; their
// contents are never interpreted.

extension Lexer {
  private static let quote = UInt8(ascii: "\"")
  private static let hash = UInt8(ascii: "#")
  private static let backslash = UInt8(ascii: "\\")

  /// A raw string, an extended regular expression, a directive, or `#name`.
  mutating func scanHash() throws(SyntaxFailure) -> Token.Kind {
    let start = position
    var hashes = 0
    while byte(at: position + hashes) == Self.hash { hashes += 1 }
    switch byte(at: position + hashes) {
    case Self.quote:
      position += hashes
      try skipString(hashes: hashes)
      return .string
    case UInt8(ascii: "/"):
      position += hashes
      try skipExtendedRegex(hashes: hashes, from: start)
      return .regex
    case let byte? where CharacterClass.isNameHead(byte) && hashes == 1:
      position += 1
      while let byte = self.byte(at: position), CharacterClass.isName(byte) { position += 1 }
      let name = bytes[start + 1..<position]
      let directives: [StaticString] = ["if", "elseif", "else", "endif"]
      let isDirective = directives.contains { $0.withUTF8Buffer { $0.elementsEqual(name) } }
      return isDirective ? .directive : .pound
    default:
      position += 1
      return .symbol
    }
  }

  // MARK: Strings

  /// Moves from the opening quote to just past the closing delimiter.
  mutating func skipString(hashes: Int) throws(SyntaxFailure) {
    let start = position - hashes
    let isMultiline = isMultilineDelimiter(hashes: hashes)
    position += isMultiline ? 3 : 1
    while let byte = byte(at: position) {
      if byte == Self.backslash, hasHashes(hashes, at: position + 1) {
        position += 1 + hashes
        if self.byte(at: position) == UInt8(ascii: "(") {
          try skipInterpolation()
        } else if position < bytes.count {
          position += 1
        }
      } else if byte == Self.quote, !isMultiline || matches("\"\"\"", at: position),
        hasHashes(hashes, at: position + (isMultiline ? 3 : 1))
      {
        position += (isMultiline ? 3 : 1) + hashes
        return
      } else if !isMultiline, CharacterClass.isNewline(byte) {
        break
      } else {
        position += 1
      }
    }
    throw SyntaxFailure(message: "this string has no closing quote", offset: start)
  }

  private func hasHashes(_ count: Int, at index: Int) -> Bool {
    guard index + count <= bytes.count else { return false }
    return bytes[index..<index + count].allSatisfy { $0 == Self.hash }
  }

  /// `#"""#` is one quote in a raw string, so a raw literal that closes on its own line has one line.
  private func isMultilineDelimiter(hashes: Int) -> Bool {
    guard matches("\"\"\"", at: position) else { return false }
    guard hashes > 0 else { return true }
    var index = position + 1
    while let byte = byte(at: index), !CharacterClass.isNewline(byte) {
      if byte == Self.quote, hasHashes(hashes, at: index + 1) { return false }
      index += 1
    }
    return true
  }

  /// Moves from the opening parenthesis of an interpolation past its closing one.
  private mutating func skipInterpolation() throws(SyntaxFailure) {
    let start = position
    guard interpolationDepth < Self.interpolationLimit else {
      throw SyntaxFailure(message: "string interpolations are nested too deeply", offset: start)
    }
    interpolationDepth += 1
    defer { interpolationDepth -= 1 }
    var depth = 0
    repeat {
      let token = try next()
      if token.kind == .end {
        throw SyntaxFailure(message: "this interpolation has no closing parenthesis", offset: start)
      }
      guard token.kind == .symbol else { continue }
      if bytes[token.start] == UInt8(ascii: "(") { depth += 1 }
      if bytes[token.start] == UInt8(ascii: ")") { depth -= 1 }
    } while depth > 0
  }

  // MARK: Regular expressions

  private mutating func skipExtendedRegex(hashes: Int, from start: Int) throws(SyntaxFailure) {
    let isMultiline = byte(at: position + 1).map(CharacterClass.isNewline) ?? false
    position += 1
    while let byte = byte(at: position) {
      if byte == Self.backslash {
        position += 2
      } else if byte == UInt8(ascii: "/"), hasHashes(hashes, at: position + 1) {
        position += 1 + hashes
        return
      } else if !isMultiline, CharacterClass.isNewline(byte) {
        break
      } else {
        position += 1
      }
    }
    position = min(position, bytes.count)
    throw SyntaxFailure(message: "this regular expression has no closing delimiter", offset: start)
  }

  /// Where the `/.../` literal that starts here ends, or nil where the slash is an operator.
  ///
  /// Swift treats a slash as a literal where a prefix operator could be (SE-0354): only white space or an opening delimiter
  /// before it, no blank after it, and a closing slash on the line.
  func regexEnd(after gap: Token.Gap) -> Int? {
    if gap == .none, position > 0, !Set("([{,;:".utf8).contains(bytes[position - 1]) { return nil }
    var index = position + 1
    guard let first = byte(at: index), !CharacterClass.isWhitespace(first) else { return nil }
    var parentheses = 0
    while let byte = byte(at: index), !CharacterClass.isNewline(byte) {
      switch byte {
      case Self.backslash:
        index += 1
      case UInt8(ascii: "("):
        parentheses += 1
      case UInt8(ascii: ")"):
        parentheses -= 1
        if parentheses < 0 { return nil }
      case UInt8(ascii: "/"):
        return CharacterClass.isWhitespace(bytes[index - 1]) ? nil : index + 1
      default:
        break
      }
      index += 1
    }
    return nil
  }
}
