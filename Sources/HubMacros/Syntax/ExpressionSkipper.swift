// Owns where an expression ends; it never interprets one.

extension Cursor {
  private static let wordsBeforeOperand: Set<String> = [
    "any", "as", "await", "case", "consume", "copy", "else", "if", "in", "is", "return", "some", "switch",
    "throw", "try", "unsafe",
  ]
  private static let wordsAfterOperand: Set<String> = ["as", "else", "is"]

  /// Moves past an expression: to a comma, a semicolon, or this cursor's end; with `endsWithLine` also to the first line
  /// that does not continue it; in any case to the observers of a property.
  mutating func skipExpression(endsWithLine: Bool) {
    let start = index
    while !isAtEnd, !isSymbol(","), !isSymbol(";") {
      if index > start {
        if isSymbol("{"), isAtObservers { return }
        if endsWithLine, token.gap == .newline, !continuesLine {
          guard skipConditionalSuffix() else { return }
          continue
        }
        if isSymbol("<"), let end = endOfGenericArguments {
          back(to: end)
          continue
        }
      }
      skipElement()
    }
  }

  /// Moves past the condition of an `#if`: to the next line that does not continue with `&&` or `||`.
  mutating func skipCondition() {
    let start = index
    while !isAtEnd {
      if index > start, token.gap == .newline, !isOperatorCharacter(at: index),
        !isOperatorCharacter(at: index - 1)
      {
        return
      }
      skipElement()
    }
  }

  /// Whether the braces here contain `willSet` or `didSet`: then they are not a trailing closure.
  var isAtObservers: Bool {
    guard var inside else { return false }
    _ = try? inside.parseAttributes()
    return inside.isWord("willSet") || inside.isWord("didSet")
  }

  /// Whether the token here, the first of its line, continues the expression of the line before.
  private var continuesLine: Bool {
    if isSymbol(".") || isSymbol("{") || isSymbol(":") { return true }
    if let word, Self.wordsAfterOperand.contains(word) { return true }
    if isOperatorCharacter(at: index) { return true }
    let previous = list.tokens[index - 1]
    if previous.kind == .word {
      let isMember = index > 1 && list.text(list.tokens[index - 2]) == "."
      return !isMember && Self.wordsBeforeOperand.contains(list.text(previous))
    }
    guard previous.kind == .symbol else { return false }
    if Set(".:".utf8).contains(list.bytes[previous.start]) { return true }
    return isOperatorCharacter(at: index - 1) && isInfixOperator(endingAt: index - 1)
  }

  private func isOperatorCharacter(at index: Int) -> Bool {
    let token = list.tokens[index]
    guard token.kind == .symbol else { return false }
    let byte = list.bytes[token.start]
    return CharacterClass.operators.contains(byte) || byte >= 0x80
  }

  /// An operator at the end of a line takes a right side if there is a blank before it: `a!` does not.
  private func isInfixOperator(endingAt last: Int) -> Bool {
    var first = last
    while list.tokens[first].gap == .none, first > 0, isOperatorCharacter(at: first - 1) { first -= 1 }
    guard first > 0, list.tokens[first].gap == .none else { return true }
    return list.text(list.tokens[first - 1]) == "as"
  }

  /// Skips `#if ... #endif` around lines that begin with a dot; false where other things are inside.
  private mutating func skipConditionalSuffix() -> Bool {
    guard isKind(.directive), text == "#if" else { return false }
    var body = self
    while body.isKind(.directive), body.text == "#if" {
      body.advance()
      body.skipCondition()
    }
    guard body.isSymbol(".") else { return false }
    var depth = 0
    repeat {
      if isKind(.directive), text == "#if" { depth += 1 }
      if isKind(.directive), text == "#endif" { depth -= 1 }
      skipElement()
    } while depth > 0 && !isAtEnd
    return true
  }

  /// Where the generic arguments that open here end, or nil where `<` compares: Swift's own rule, types
  /// up to a `>` that is followed by something no operand begins with.
  private var endOfGenericArguments: Int? {
    guard token.gap == .none, list.tokens[index - 1].kind == .word else { return nil }
    var arguments = self
    do { try arguments.parseGenericArguments() } catch { return nil }
    let followers: [Unicode.Scalar] = ["(", ")", "]", "{", "}", ".", ",", ";", ":", "=", "?", "!"]
    let ends = arguments.isAtEnd || arguments.token.gap == .newline
    return ends || followers.contains { arguments.isSymbol($0) } ? arguments.index : nil
  }
}
