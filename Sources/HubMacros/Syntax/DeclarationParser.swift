// Owns the grammar of declarations, as far as the macros need it; it skips the bodies of functions.

extension Cursor {
  static let typeKeywords: Set<String> = ["struct", "enum", "class", "actor", "protocol", "extension"]
  private static let otherKeywords: Set<String> = [
    "func", "init", "deinit", "subscript", "typealias", "associatedtype", "import", "operator",
    "precedencegroup", "macro",
  ]
  private static let modifiers: Set<String> = [
    "public", "private", "fileprivate", "internal", "package", "open", "static", "final", "lazy", "weak",
    "unowned", "mutating", "nonmutating", "indirect", "override", "required", "convenience", "dynamic",
    "optional", "prefix", "postfix", "infix", "nonisolated", "isolated", "distributed", "consuming",
    "borrowing", "class", "_const", "__consuming",
  ]

  /// Reads the one declaration that `source` holds.
  static func parseDeclaration(_ source: String) throws(SyntaxFailure) -> (Member, TokenList) {
    let list = try Lexer.tokens(of: source)
    var cursor = Cursor(list)
    var member = try cursor.parseMember()
    // Attributes inside `#if` may come before the declaration that they belong to.
    while member.isAttributes, !cursor.isAtEnd { member = try cursor.parseMember() }
    _ = cursor.consumeSymbol(";")
    guard cursor.isAtEnd else { throw cursor.failure("this does not belong to the declaration") }
    return (member, list)
  }

  /// Reads everything up to this cursor's end as members of a type.
  mutating func parseMembers() throws(SyntaxFailure) -> [Member] {
    var members: [Member] = []
    while !isAtEnd {
      if consumeSymbol(";") { continue }
      members.append(try parseMember())
    }
    return members
  }

  mutating func parseMember() throws(SyntaxFailure) -> Member {
    let start = index
    let attributes = try parseAttributes()
    if isKind(.directive), !attributes.isEmpty { return .attributes(attributes) }
    if isKind(.directive), text == "#if" { return .conditional(try parseConditional()) }
    let modifiers = parseModifiers()
    if isKind(.pound) {
      skipExpression(endsWithLine: true)
      return .other()
    }
    guard let keyword = word else { throw failure("a declaration is expected here") }
    switch keyword {
    case "case":
      advance()
      return .enumCases(try parseEnumCases(attributes))
    case "var", "let":
      advance()
      return .variable(try parseVariable(attributes, modifiers, isConstant: keyword == "let"))
    case _ where Self.typeKeywords.contains(keyword):
      return .type(try parseTypeDeclaration(attributes, modifiers))
    case _ where Self.otherKeywords.contains(keyword):
      advance()
      let name = ["func", "typealias"].contains(keyword) ? word : nil
      skipDeclaration()
      return .other(name: name)
    default:
      back(to: start)
      throw failure("this declaration cannot be read here")
    }
  }

  // MARK: Attributes and modifiers

  mutating func parseAttributes() throws(SyntaxFailure) -> [AttributeNode] {
    var attributes: [AttributeNode] = []
    while isSymbol("@") {
      let start = index
      advance()
      guard var name = word else { throw failure("an attribute needs a name") }
      advance()
      while isSymbol("."), isKind(.word, ahead: 1) {
        advance()
        name = text
        advance()
      }
      if isSymbol("<") { try parseGenericArguments() }
      if isSymbol("("), token.gap < .newline { skipElement() }
      attributes.append(AttributeNode(name: name, text: list.text(start..<index)))
    }
    return attributes
  }

  private mutating func parseModifiers() -> [ModifierNode] {
    var modifiers: [ModifierNode] = []
    while let name = word, Self.modifiers.contains(name) {
      if name == "class", !isModifierOfMember { break }
      advance()
      var argument: String?
      if isSymbol("("), let inside {
        argument = inside.text
        skipElement()
      }
      modifiers.append(ModifierNode(name: name, argument: argument))
    }
    return modifiers
  }

  /// Whether `class` here means that the member belongs to the class and not to its values.
  private var isModifierOfMember: Bool {
    let members = ["func", "var", "let", "subscript"]
    if members.contains(where: { isWord($0, ahead: 1) }) { return true }
    return Self.modifiers.contains { isWord($0, ahead: 1) } && isKind(.word, ahead: 2)
  }

  // MARK: Types

  private mutating func parseTypeDeclaration(
    _ attributes: [AttributeNode], _ modifiers: [ModifierNode]
  ) throws(SyntaxFailure) -> TypeDeclaration {
    let keyword = text
    let keywordOffset = offset
    advance()
    let nameStart = index
    if keyword == "extension" {
      _ = try parseType()
    } else {
      guard isKind(.word) else { throw failure("a type needs a name") }
      advance()
    }
    let name = list.text(nameStart..<index)
    let genericParameters = isSymbol("<") ? try parseGenericParameters() : []
    var inherited: [TypeNode] = []
    if consumeSymbol(":") {
      repeat {
        if isWord("nonisolated"), isKind(.word, ahead: 1) { advance() }
        inherited.append(try parseType())
      } while consumeSymbol(",")
    }
    while !isAtEnd, !isSymbol("{") { skipElement() }
    guard let body = inside else { throw failure("a type needs a body in braces") }
    skipElement()
    return TypeDeclaration(
      attributes: attributes, modifiers: modifiers, keyword: keyword, keywordOffset: keywordOffset,
      name: name, genericParameters: genericParameters, inherited: inherited, body: body)
  }

  private mutating func parseGenericParameters() throws(SyntaxFailure) -> [String] {
    var names: [String] = []
    advance()
    while !isSymbol(">") {
      _ = try parseAttributes()
      if isWord("each") || isWord("let"), isKind(.word, ahead: 1) { advance() }
      guard let name = word else { throw failure("a generic parameter needs a name") }
      names.append(name)
      advance()
      if consumeSymbol(":") { _ = try parseType() }
      guard consumeSymbol(",") || isSymbol(">") else {
        throw failure("generic parameters are separated by commas and end with '>'")
      }
    }
    advance()
    return names
  }

  // MARK: Everything else

  /// Skips a declaration: moves past its body, or to the member on the next line.
  private mutating func skipDeclaration() {
    while !isAtEnd, !isSymbol(";") {
      if token.gap == .newline, startsMember { return }
      let isBody = isSymbol("{")
      skipElement()
      if isBody { return }
    }
  }

  private var startsMember: Bool {
    let previous = list.text(list.tokens[index - 1])
    if ["=", ",", ":", "<", "&", "."].contains(previous) { return false }
    if previous == ">", index > 1, list.text(list.tokens[index - 2]) == "-" { return false }
    if isSymbol("@") || isKind(.pound) || isKind(.directive) { return true }
    guard let word else { return false }
    return ["case", "var", "let"].contains(word) || Self.typeKeywords.contains(word)
      || Self.otherKeywords.contains(word) || Self.modifiers.contains(word)
  }
}
