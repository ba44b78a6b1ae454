// Owns the grammar of enum cases, stored properties and conditional compilation blocks.

extension Cursor {
  mutating func parseEnumCases(
    _ attributes: [AttributeNode]
  ) throws(SyntaxFailure) -> EnumCaseDeclaration {
    var elements: [EnumCaseDeclaration.Element] = []
    repeat {
      guard let name = word else { throw failure("an enum case needs a name") }
      let offset = offset
      advance()
      var payload: [TupleElementNode] = []
      if isSymbol("("), var inside {
        payload = try inside.parseTupleElements()
        skipElement()
      }
      if consumeSymbol("=") { skipExpression(endsWithLine: true) }
      elements.append(EnumCaseDeclaration.Element(name: name, offset: offset, payload: payload))
    } while consumeSymbol(",")
    try expectEndOfMember()
    return EnumCaseDeclaration(attributes: attributes, elements: elements)
  }

  mutating func parseVariable(
    _ attributes: [AttributeNode], _ modifiers: [ModifierNode], isConstant: Bool
  ) throws(SyntaxFailure) -> VariableDeclaration {
    var bindings: [VariableDeclaration.Binding] = []
    repeat {
      let offset = offset
      let name = word
      guard name != nil || isSymbol("(") else { throw failure("a property needs a name") }
      skipElement()
      let type = consumeSymbol(":") ? try parseType() : nil
      var initialValue: Range<Int>?
      if consumeSymbol("=") {
        let start = index
        skipExpression(endsWithLine: true)
        guard index > start else { throw failure("an initial value is expected here") }
        initialValue = start..<index
      }
      let end = list.tokens[index - 1].end
      let accessors = isSymbol("{") && initialValue == nil && !isAtObservers ? inside : nil
      if isSymbol("{") { skipElement() }
      bindings.append(
        VariableDeclaration.Binding(
          name: name, offset: offset, end: end, type: type, initialValue: initialValue,
          accessors: accessors))
    } while consumeSymbol(",")
    try expectEndOfMember()
    return VariableDeclaration(
      attributes: attributes, modifiers: modifiers, isConstant: isConstant, bindings: bindings)
  }

  /// Reads from `#if` past its `#endif`.
  mutating func parseConditional() throws(SyntaxFailure) -> [ConditionalClause] {
    let start = self
    guard depth < Self.depthLimit else { throw failure("'#if' is nested too deeply") }
    depth += 1
    defer { depth -= 1 }
    var clauses: [ConditionalClause] = []
    while isKind(.directive) {
      let lineStart = index
      let directive = text
      advance()
      if directive == "#endif" { return clauses }
      if directive != "#else" { skipCondition() }
      let line = list.text(lineStart..<index)
      var members: [Member] = []
      while !isAtEnd, !isKind(.directive) || text == "#if" {
        if consumeSymbol(";") { continue }
        members.append(try parseMember())
      }
      clauses.append(ConditionalClause(line: line, members: members))
    }
    throw start.failure("this '#if' has no '#endif'")
  }

  private func expectEndOfMember() throws(SyntaxFailure) {
    guard isAtEnd || token.gap == .newline || isSymbol(";") || isKind(.directive) else {
      throw failure("this does not belong to the declaration before it")
    }
  }
}
