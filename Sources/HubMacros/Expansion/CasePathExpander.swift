// Owns the case path of one case: its type, how a value is embedded and how it is extracted.

struct CasePathExpander {
  /// The enum's name, as written.
  let root: String
  let list: TokenList

  /// Writes a property for every case among `members`, inside the same `#if` clauses.
  ///
  /// - Parameter seen: the names seen so far on this path. Two clauses may declare the same name.
  func write(
    _ members: [Member], seen: Set<String>, to writer: inout SourceWriter
  ) throws(Rejection) {
    var seen = seen
    var pending: [AttributeNode] = []
    for member in members {
      switch member {
      case .enumCases(let cases):
        for element in cases.elements {
          guard seen.insert(element.plainName).inserted else {
            throw Rejection(
              "'@CasePathable' needs distinct case names: there is another case '\(element.name)'",
              at: element.offset, length: element.name.utf8.count)
          }
          guard !pending.contains(where: { $0.name == "available" }) else {
            throw Rejection(
              "'@CasePathable' cannot read '@available' inside '#if': put the whole case into the '#if'",
              at: element.offset, length: element.name.utf8.count)
          }
          try write(element, availability: cases.attributes, to: &writer)
        }
      case .conditional where member.isAttributes:
        pending += member.attributes
        continue
      case .conditional(let clauses):
        for clause in clauses {
          writer.line(clause.line)
          try write(clause.members, seen: seen, to: &writer)
        }
        writer.line("#endif")
      case .attributes(let attributes):
        pending += attributes
        continue
      case .type, .variable, .other:
        break
      }
      pending = []
    }
  }

  private func write(
    _ element: EnumCaseDeclaration.Element, availability: [AttributeNode],
    to writer: inout SourceWriter
  ) throws(Rejection) {
    for parameter in element.payload { try rejectUnreadable(parameter) }
    for attribute in availability where attribute.name == "available" { writer.line(attribute.text) }
    let path = "HubReducers.AnyCasePath<\(root), \(valueType(of: element))>"
    writer.block("public var \(element.name): \(path) {") { writer in
      // The compiler parses some types, such as `Fixed<-1>`, only where a type is required, so they are written once.
      writer.block(".init(", tail: ")") { writer in
        // A name in backticks may be anything; only a name that needs none can be a string unchanged.
        if element.plainName.utf8.allSatisfy(CharacterClass.isName) {
          writer.line("\"\(element.plainName)\",")
        }
        writer.line("embed: \(embedding(of: element)),")
        writer.block("extract: {") { writer in
          let names = element.payload.indices.map { "v\($0)" }
          let pattern = names.isEmpty ? "" : "(\(names.map { "let " + $0 }.joined(separator: ", ")))"
          writer.line("guard case .\(element.name)\(pattern) = $0 else { return nil }")
          writer.line("return \(names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))")")
        }
      }
    }
  }

  private func rejectUnreadable(_ parameter: TupleElementNode) throws(Rejection) {
    if parameter.isVariadic {
      throw Rejection("a case path cannot hold a variadic value", at: parameter.offset)
    }
    for prefix in parameter.type.prefixes where ["@autoclosure", "repeat"].contains(prefix) {
      throw Rejection("a case path cannot hold a value declared with '\(prefix)'", at: parameter.offset)
    }
  }

  /// `Void`, the type of a single value without its label, or a tuple with the labels.
  private func valueType(of element: EnumCaseDeclaration.Element) -> String {
    if element.payload.isEmpty { return "Swift.Void" }
    if element.payload.count == 1 { return text(of: element.payload[0]) }
    let types = element.payload.map { parameter in
      (parameter.label.map { $0 + ": " } ?? "") + text(of: parameter)
    }
    return "(\(types.joined(separator: ", ")))"
  }

  /// `Self` in a payload is the enum, while inside the generated struct it would be that struct.
  private func text(of parameter: TupleElementNode) -> String {
    list.text(parameter.type.range, selfType: root)
  }

  private func embedding(of element: EnumCaseDeclaration.Element) -> String {
    guard !element.payload.isEmpty else { return "{ .\(element.name) }" }
    // A closure that embeds what cannot exist, such as an action of a feature without actions, gets a warning; the name of the
    // case does not, but `Foo.Type` names no case.
    if element.payload.count == 1, element.payload[0].label == nil, !element.name.hasPrefix("`"),
      !["Type", "Protocol"].contains(element.name)
    {
      return "\(root).\(element.name)"
    }
    let arguments = element.payload.enumerated().map { index, parameter in
      let value = element.payload.count == 1 ? "$0" : "$0.\(index)"
      return (parameter.label.map { $0 + ": " } ?? "") + value
    }
    return "{ .\(element.name)(\(arguments.joined(separator: ", "))) }"
  }
}

extension TupleElementNode {
  /// The label that callers write: none for `_`.
  var label: String? { name == "_" ? nil : name.map(unescapedLabel) }
}

/// A label without unnecessary backticks, which the compiler would warn about in a call.
func unescapedLabel(_ name: String) -> String {
  guard name.hasPrefix("`") else { return name }
  let bare = String(name.dropFirst().dropLast())
  let needsEscape = ["inout", "let", "var", "_"].contains(bare)
  return needsEscape || !bare.utf8.allSatisfy(CharacterClass.isName) ? name : bare
}

extension EnumCaseDeclaration.Element {
  /// Without backticks.
  var plainName: String { name.filter { $0 != "`" } }
}
