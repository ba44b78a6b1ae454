// Owns the grammar of types; it does not resolve names.

extension Cursor {
  private static let specifiers: Set<String> = [
    "inout", "borrowing", "consuming", "sending", "isolated", "repeat", "each", "any", "some",
    "__owned", "__shared", "_const",
  ]
  /// The only attributes of a type that take arguments: after any other a parenthesis opens the type.
  private static let attributesWithArguments: Set<String> = [
    "convention", "isolated", "differentiable", "execution", "lifetime",
  ]

  /// Reads one type.
  mutating func parseType() throws(SyntaxFailure) -> TypeNode {
    guard depth < Self.depthLimit else { throw failure("this type is nested too deeply") }
    depth += 1
    defer { depth -= 1 }
    let start = index
    let prefixes = try parseTypePrefixes()
    var shape = try parseSimpleType()
    while true {
      if isSymbol("?") || isSymbol("!"), token.gap == .none {
        advance()
        shape = .optional
      } else if isSymbol("."), isKind(.word, ahead: 1) {
        // A path can continue after a type that is not a name: `[Int].Index`, `(any P).Type`.
        advance()
        _ = try parseTypePath()
        shape = .other
      } else {
        break
      }
    }
    while consumeSymbol("&") {
      _ = try parseTypePrefixes()
      _ = try parseSimpleType()
      shape = .other
    }
    return TypeNode(range: start..<index, prefixes: prefixes, shape: shape)
  }

  private mutating func parseTypePrefixes() throws(SyntaxFailure) -> [String] {
    var prefixes: [String] = []
    while !isAtEnd {
      if consumeSymbol("@") {
        guard let name = word else { throw failure("an attribute needs a name") }
        advance()
        while isSymbol("."), isKind(.word, ahead: 1) { advance(2) }
        if Self.attributesWithArguments.contains(name), isSymbol("(") { skipElement() }
        prefixes.append("@" + name)
      } else if consumeSymbol("~") {
        prefixes.append("~")
      } else if isWord("nonisolated"), isSymbol("(", ahead: 1) {
        advance()
        skipElement()
        prefixes.append("nonisolated")
      } else if let word, Self.specifiers.contains(word), startsType(ahead: 1) {
        advance()
        prefixes.append(word)
      } else {
        break
      }
    }
    return prefixes
  }

  private func startsType(ahead: Int) -> Bool {
    isKind(.word, ahead: ahead) || ["(", "[", "@", "~"].contains { isSymbol($0, ahead: ahead) }
  }

  private mutating func parseSimpleType() throws(SyntaxFailure) -> TypeNode.Shape {
    if isSymbol("("), var inside {
      let elements = try inside.parseTupleElements()
      skipElement()
      if let function = try parseFunction(parameters: elements) { return .function(function) }
      if elements.count == 1, elements[0].name == nil, !elements[0].isVariadic {
        return .parenthesized(elements[0].type)
      }
      return .tuple(count: elements.count)
    }
    if isSymbol("["), var inside {
      _ = try inside.parseType()
      if inside.consumeSymbol(":") || inside.consumeWord("of") { _ = try inside.parseType() }
      guard inside.isAtEnd else { throw inside.failure("this does not belong to a type") }
      skipElement()
      return .other
    }
    if isKind(.number) || isSymbol("-") && isKind(.number, ahead: 1) {
      advance(isKind(.number) ? 1 : 2)
      return .other
    }
    return try parseTypePath()
  }

  private mutating func parseTypePath() throws(SyntaxFailure) -> TypeNode.Shape {
    var names: [String] = []
    var arguments: [TypeNode] = []
    repeat {
      guard let name = word else { throw failure("a type is expected here") }
      advance()
      names.append(name)
      arguments = isSymbol("<") ? try parseGenericArguments() : []
    } while !isOperator("...") && consumeSymbol(".") || consumeOperator("::")
    return .named(names.joined(separator: "."), arguments)
  }

  /// Reads `<Int, [String]>`.
  @discardableResult
  mutating func parseGenericArguments() throws(SyntaxFailure) -> [TypeNode] {
    var arguments: [TypeNode] = []
    advance()
    while !isSymbol(">") {
      arguments.append(try parseType())
      guard consumeSymbol(",") || isSymbol(">") else {
        throw failure("generic arguments are separated by commas and end with '>'")
      }
    }
    advance()
    return arguments
  }

  /// The rest of a function type after its parameters, or nil if no arrow follows.
  private mutating func parseFunction(
    parameters: [TupleElementNode]
  ) throws(SyntaxFailure) -> FunctionNode? {
    let start = index
    var isAsync = false
    var failure = FunctionNode.Failure.never
    while let word, ["async", "reasync", "throws", "rethrows"].contains(word) {
      advance()
      if word == "async" { isAsync = true }
      if word == "throws" { failure = try parseThrownType() }
    }
    let effects = start..<index
    guard consumeOperator("->") else {
      back(to: start)
      return nil
    }
    return FunctionNode(
      parameters: parameters, effects: effects, isAsync: isAsync, failure: failure,
      result: try parseType())
  }

  private mutating func parseThrownType() throws(SyntaxFailure) -> FunctionNode.Failure {
    guard isSymbol("("), var inside else { return .any }
    let type = try inside.parseType()
    skipElement()
    guard case .named(let name, _) = type.shape else { return .typed }
    switch name {
    case "Error", "Swift.Error": return .any
    case "Never", "Swift.Never": return .never
    default: return .typed
    }
  }

  /// Reads everything up to this cursor's end as elements with names, types and default values.
  mutating func parseTupleElements() throws(SyntaxFailure) -> [TupleElementNode] {
    var elements: [TupleElementNode] = []
    while !isAtEnd {
      let offset = offset
      let names = consumeNames()
      let type = try parseType()
      let isVariadic = consumeOperator("...")
      var defaultValue: Range<Int>?
      if consumeSymbol("=") {
        let start = index
        skipExpression(endsWithLine: false)
        defaultValue = start..<index
      }
      elements.append(
        TupleElementNode(
          name: names.first, secondName: names.dropFirst().first, type: type, isVariadic: isVariadic,
          offset: offset, defaultValue: defaultValue))
      guard consumeSymbol(",") || isAtEnd else { throw failure("this does not belong to a type") }
    }
    return elements
  }

  /// `name:` or `name second:`; a type's module, as in `Module::Type`, is not a name.
  private mutating func consumeNames() -> [String] {
    guard let first = word else { return [] }
    if isSymbol(":", ahead: 1) {
      var rest = self
      rest.advance()
      if rest.isOperator("::") { return [] }
      advance(2)
      return [first]
    }
    guard isKind(.word, ahead: 1), isSymbol(":", ahead: 2) else { return [] }
    advance()
    let second = text
    var rest = self
    rest.advance()
    if rest.isOperator("::") {
      back(to: index - 1)
      return []
    }
    advance(2)
    return [first, second]
  }
}
