// Owns the expansion of @Reducer: the conformance, and the attributes that a reducer's members need.

enum ReducerMacro {
  private static let name = "@Reducer"

  /// `extension Feature: HubReducers.Reducer {}`, with the availability of the type, and with `Sendable` where that is
  /// certain to hold and the compiler does not infer it.
  static func conformance(_ request: MacroRequest) throws(Rejection) -> String {
    guard case .type(let declaration) = try request.parse(for: name).member else {
      throw Rejection("'\(name)' needs a struct or a class", at: 0)
    }
    guard ["struct", "class"].contains(declaration.keyword) else {
      throw Rejection(
        "'\(name)' needs a struct or a class, and '\(declaration.name)' is of kind '\(declaration.keyword)'",
        at: declaration.keywordOffset, length: declaration.keyword.utf8.count)
    }
    try request.rejectPrivateNesting(of: declaration, macro: name)
    var protocols: [String] = []
    if request.missingConformances.contains("Reducer") { protocols.append("HubReducers.Reducer") }
    if request.missingConformances.contains("Sendable"), needsSendable(declaration, request) {
      protocols.append("Swift.Sendable")
    }
    guard !protocols.isEmpty, let type = request.extendedType else { return "" }
    var writer = SourceWriter()
    for attribute in request.availability(of: declaration) { writer.line(attribute) }
    writer.line("extension \(type): \(protocols.joined(separator: ", ")) {}")
    return writer.text
  }

  /// Effects capture the feature they belong to. The compiler infers that a struct is Sendable, unless it is public; one
  /// that stores only dependencies always is.
  private static func needsSendable(_ declaration: TypeDeclaration, _ request: MacroRequest) -> Bool {
    let isPublic =
      declaration.access.map { $0 == .public }
      ?? request.surroundings.first.map { $0.keyword == "extension" && $0.access == .public } ?? false
    guard declaration.keyword == "struct", isPublic, !declaration.inherits("Sendable"),
      let members = try? declaration.members(for: name)
    else { return false }
    return holdsOnlyDependencies(members)
  }

  private static func holdsOnlyDependencies(_ members: [Member]) -> Bool {
    members.allSatisfy { member in
      switch member {
      case .variable(let variable):
        variable.hasWrapper("Dependency") || variable.modifiers.contains { $0.name == "static" }
          || variable.bindings.allSatisfy { $0.accessors != nil }
      case .conditional(let clauses): clauses.allSatisfy { holdsOnlyDependencies($0.members) }
      default: true
      }
    }
  }

  /// What one member of the reducer gets: nothing, unless it is the `Action`, the `State` or the `body`.
  static func attribute(_ request: MacroRequest) -> String {
    // A member that cannot be parsed stays as it is.
    guard let (member, list) = try? request.parse(for: name) else { return "" }
    switch member {
    case .type(let type): return attribute(of: type)
    case .variable(let variable): return attribute(of: variable, list)
    default: return ""
    }
  }

  /// Enums of states and of actions become case-pathable, unless they are already.
  private static func attribute(of type: TypeDeclaration) -> String {
    guard type.keyword == "enum", ["Action", "State"].contains(type.name),
      !type.hasAttribute("CasePathable"), !type.inherits("CasePathable")
    else { return "" }
    return "@HubReducers.CasePathable"
  }

  /// The builder has to be named: while the conformance comes from a macro, the compiler does not infer
  /// it from the protocol.
  private static func attribute(of variable: VariableDeclaration, _ list: TokenList) -> String {
    guard let binding = variable.bindings.first, binding.name == "body", let body = binding.accessors,
      !body.returnsExplicitly, !variable.attributes.contains(where: { $0.name == "ReducerBuilder" }),
      let type = binding.type, type.prefixes.contains("some"),
      case .named(let path, let arguments) = type.shape
    else { return "" }
    let names = arguments.map { list.text($0.range) }
    switch path.split(separator: ".").last {
    case "ReducerOf" where names.count == 1:
      return "@HubReducers.ReducerBuilder<\(names[0]).State, \(names[0]).Action>"
    case "Reducer" where names.count == 2:
      return "@HubReducers.ReducerBuilder<\(names[0]), \(names[1])>"
    default:
      return ""
    }
  }
}

extension Cursor {
  /// Whether there is a `return` outside all inner braces, which turns a result builder off.
  fileprivate var returnsExplicitly: Bool {
    var cursor = self
    while !cursor.isAtEnd {
      if cursor.isWord("return") { return true }
      cursor.skipElement()
    }
    return false
  }
}

extension VariableDeclaration {
  fileprivate func hasWrapper(_ name: String) -> Bool { attributes.contains { $0.name == name } }
}
