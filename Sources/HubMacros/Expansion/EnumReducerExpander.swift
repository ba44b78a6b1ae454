// Owns the expansion of @Reducer on an enum: one feature of which each case is a feature.

struct EnumReducerExpander {
  private static let macro = "@Reducer"

  /// What one case holds.
  private enum Content {
    /// A feature, and how it is made.
    case feature(type: String, value: String)
    /// An alert or a dialog: a state with actions, without a feature.
    case ephemeral(String)
    /// Values of the state that have no actions.
    case inert(String)
    case nothing
  }

  private enum Line {
    case caseOf(EnumCaseDeclaration.Element, Content)
    /// `#if`, `#else`, `#endif`.
    case directive(String)
  }

  private let declaration: TypeDeclaration
  private let access: String
  private let lines: [Line]

  init(_ declaration: TypeDeclaration, _ list: TokenList, _ request: MacroRequest) throws(Rejection) {
    self.declaration = declaration
    access = request.isPublic(declaration) ? "public " : ""
    lines = try Self.lines(try declaration.members(for: Self.macro), list)
  }

  private static func lines(_ members: [Member], _ list: TokenList) throws(Rejection) -> [Line] {
    var lines: [Line] = []
    for member in members {
      switch member {
      case .enumCases(let cases):
        let isIgnored = cases.attributes.contains { $0.name == "ReducerCaseIgnored" }
        for element in cases.elements {
          lines.append(.caseOf(element, try content(of: element, isIgnored: isIgnored, list)))
        }
      case .conditional(let clauses):
        for clause in clauses {
          lines.append(.directive(clause.line))
          lines += try self.lines(clause.members, list)
        }
        lines.append(.directive("#endif"))
      case .type, .variable, .attributes, .other: break
      }
    }
    return lines
  }

  private static func content(
    of element: EnumCaseDeclaration.Element, isIgnored: Bool, _ list: TokenList
  ) throws(Rejection) -> Content {
    guard let first = element.payload.first else { return .nothing }
    if isIgnored {
      let values = element.payload.map { value in
        (value.name.map { $0 + ": " } ?? "") + list.text(value.type.range, selfType: nil)
      }
      return .inert("(\(values.joined(separator: ", ")))")
    }
    guard element.payload.count == 1, first.name == nil else {
      throw Rejection(
        """
        '\(macro)' needs cases with one feature each and no label: put '@ReducerCaseIgnored' before '\(element.name)' if its \
        values have no actions
        """, at: element.offset, length: element.name.utf8.count)
    }
    let type = list.text(first.type.range)
    let name = type.prefix { $0 != "<" }.split(separator: ".").last
    if name == "AlertState" || name == "ConfirmationDialogState" { return .ephemeral(type) }
    return .feature(type: type, value: first.defaultValue.map { list.source($0) } ?? "\(type)()")
  }

  func write(to writer: inout SourceWriter) {
    let indirect = declaration.modifiers.contains { $0.name == "indirect" } ? "indirect " : ""
    writer.line("@HubReducers.CasePathable @dynamicMemberLookup")
    writer.block("\(access)\(indirect)enum State: HubReducers.CaseReducerState {") { writer in
      writer.line("\(access)typealias StateReducer = \(declaration.name)")
      write(to: &writer) { element, content in
        switch content {
        case .feature(let type, _): "case \(element.name)(\(type).State)"
        case .ephemeral(let type): "case \(element.name)(\(type))"
        case .inert(let values): "case \(element.name)\(values)"
        case .nothing: "case \(element.name)"
        }
      }
    }
    writer.line("@HubReducers.CasePathable")
    writer.block("\(access)\(indirect)enum Action {") { writer in
      write(to: &writer) { element, content in
        switch content {
        case .feature(let type, _), .ephemeral(let type): "case \(element.name)(\(type).Action)"
        case .inert, .nothing: nil
        }
      }
    }
    writeBody(to: &writer)
    writeScope(to: &writer)
  }

  private func writeBody(to writer: inout SourceWriter) {
    let body = "HubReducers.AnyReducer<Self.State, Self.Action>"
    writer.line("\(access)typealias Body = \(body)")
    writer.block("\(access)static var body: \(body) {") { writer in
      writer.block("HubReducers.AnyReducer(", tail: ")") { writer in
        writer.block("HubReducers.CombineReducers<Self.State, Self.Action, _> {") { writer in
          writer.line("HubReducers.EmptyReducer<Self.State, Self.Action>()")
          write(to: &writer) { element, content in
            guard case .feature(_, let value) = content else { return nil }
            let path = "Cases.\(element.name)"
            return
              "HubReducers.Scope(state: \\Self.State.\(path), action: \\Self.Action.\(path)) { \(value) }"
          }
        }
      }
    }
  }

  private func writeScope(to writer: inout SourceWriter) {
    writer.block("\(access)enum CaseScope {") { writer in
      write(to: &writer) { element, content in
        switch content {
        case .feature(let type, _): "case \(element.name)(HubReducers.StoreOf<\(type)>)"
        case .ephemeral(let type): "case \(element.name)(\(type))"
        case .inert(let values): "case \(element.name)\(values)"
        case .nothing: "case \(element.name)"
        }
      }
    }
    writer.line("@Swift.MainActor")
    writer.block(
      "\(access)static func scope(_ store: HubReducers.Store<Self.State, Self.Action>) -> CaseScope {"
    ) { writer in
      let hasCases = lines.contains { if case .caseOf = $0 { true } else { false } }
      guard hasCases else { return writer.line("Swift.fatalError(\"there is no state without a case\")") }
      writer.block("switch store.state {") { writer in
        write(to: &writer) { element, content in
          let name = element.name
          switch content {
          case .feature:
            return """
              case .\(name)(let v0): return .\(name)(store._scope(v0, state: \\Self.State.Cases.\(name), action: \
              \\Self.Action.Cases.\(name)))
              """
          case .inert, .ephemeral:
            let values = element.payload.indices.map { "v\($0)" }
            let labelled = zip(element.payload, values).map { ($0.name.map { $0 + ": " } ?? "") + $1 }
            let pattern = values.map { "let " + $0 }.joined(separator: ", ")
            return "case .\(name)(\(pattern)): return .\(name)(\(labelled.joined(separator: ", ")))"
          case .nothing:
            return "case .\(name): return .\(name)"
          }
        }
      }
    }
  }

  private func write(
    to writer: inout SourceWriter, _ text: (EnumCaseDeclaration.Element, Content) -> String?
  ) {
    for line in lines {
      switch line {
      case .directive(let directive): writer.line(directive)
      case .caseOf(let element, let content):
        if let text = text(element, content) { writer.line(text) }
      }
    }
  }
}
