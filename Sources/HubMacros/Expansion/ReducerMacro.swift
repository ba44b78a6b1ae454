// Owns the expansion of @Reducer: the conformance, and the attributes that a reducer's members need.

enum ReducerMacro {
  private static let name = "@Reducer"

  /// `extension Feature: HubReducers.Reducer {}`, with the availability of the type, and with `Sendable` where that is
  /// certain to hold and the compiler does not infer it.
  static func conformance(_ request: MacroRequest) throws(Rejection) -> String {
    let (declaration, list) = try self.declaration(request)
    if declaration.keyword == "enum" { _ = try EnumReducerExpander(declaration, list, request) }
    try request.rejectPrivateNesting(of: declaration, macro: name)
    var protocols: [String] = []
    // If the default isolation is an actor's, a type declared `nonisolated` must declare its conformances so as well.
    let isolation = declaration.modifiers.contains { $0.name == "nonisolated" } ? "nonisolated " : ""
    if request.missingConformances.contains("Reducer") { protocols.append("\(isolation)HubReducers.Reducer") }
    if request.missingConformances.contains("CaseReducer"), declaration.keyword == "enum" {
      protocols.append("\(isolation)HubReducers.CaseReducer")
    }
    if request.missingConformances.contains("Sendable"), needsSendable(declaration, request) {
      protocols.append("Swift.Sendable")
    }
    return request.conformance(of: declaration, to: protocols)
  }

  /// What the declaration leaves out: for an enum, the features of its cases combined into one feature; for a struct
  /// or class without a `State`, `Action` or `body`, those.
  static func members(_ request: MacroRequest) throws(Rejection) -> String {
    let (declaration, list) = try self.declaration(request)
    var writer = SourceWriter()
    if declaration.keyword == "enum" {
      try EnumReducerExpander(declaration, list, request).write(to: &writer)
    } else {
      fillIn(declaration, try declaration.members(for: name), request, to: &writer)
    }
    return writer.text
  }

  private static func declaration(
    _ request: MacroRequest
  ) throws(Rejection) -> (TypeDeclaration, TokenList) {
    try request.type(["struct", "class", "enum"], "a struct, a class or an enum", for: name)
  }

  private static func fillIn(
    _ declaration: TypeDeclaration, _ members: [Member], _ request: MacroRequest,
    to writer: inout SourceWriter
  ) {
    let names = Set(members.flatMap(\.names)).union(declaration.genericParameters)
    guard names.isDisjoint(with: ["body", "reduce"]) else { return }
    let access = request.isPublic(declaration) ? "public " : ""
    if !names.contains("State") {
      writer.block("\(access)struct State: Swift.Codable, Swift.Hashable, Swift.Sendable {") {
        $0.line("\(access)init() {}")
      }
    }
    if !names.contains("Action") {
      writer.line("@HubReducers.CasePathable")
      writer.line("\(access)enum Action: Swift.Hashable, Swift.Sendable {}")
    }
    writer.line("\(access)var body: HubReducers.EmptyReducer<State, Action> { HubReducers.EmptyReducer() }")
  }

  /// Effects capture the feature they belong to. The compiler infers that a struct is Sendable, unless it is public; one
  /// that stores only dependencies always is.
  private static func needsSendable(_ declaration: TypeDeclaration, _ request: MacroRequest) -> Bool {
    guard declaration.keyword == "struct", request.isPublic(declaration), !declaration.inherits("Sendable"),
      let members = try? declaration.members(for: name)
    else { return false }
    return holdsOnlyDependencies(members)
  }

  private static func holdsOnlyDependencies(_ members: [Member]) -> Bool {
    members.allSatisfy { member in
      switch member {
      case .variable(let variable):
        variable.attributes.contains { $0.name == "Dependency" }
          || variable.modifiers.contains { $0.name == "static" }
          || variable.bindings.allSatisfy { $0.accessors != nil }
      case .conditional(let clauses): clauses.allSatisfy { holdsOnlyDependencies($0.members) }
      default: true
      }
    }
  }

  /// The attributes that a member of the reducer gets: none, unless it is the `Action`, the `State` or the `body`.
  static func attribute(_ request: MacroRequest) -> String {
    // A member that cannot be parsed stays as it is.
    guard let (member, list) = try? request.parse(for: name) else { return "" }
    switch member {
    case .type(let type): return attribute(of: type)
    case .variable(let variable): return attribute(of: variable, list)
    default: return ""
    }
  }

  /// Enums of states and of actions become case-pathable, and states readable by case, unless they already are.
  private static func attribute(of type: TypeDeclaration) -> String {
    guard type.keyword == "enum", ["Action", "State"].contains(type.name) else { return "" }
    var attributes: [String] = []
    if !type.hasAttribute("CasePathable"), !type.inherits("CasePathable") {
      attributes.append("@HubReducers.CasePathable")
    }
    if type.name == "State", !type.hasAttribute("dynamicMemberLookup") {
      attributes.append("@dynamicMemberLookup")
    }
    return attributes.joined(separator: " ")
  }

  /// The builder must be named: while the conformance comes from a macro, the compiler does not infer it from the
  /// protocol.
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

extension MacroRequest {
  /// Whether the type is public, by itself or through the extension around it.
  func isPublic(_ declaration: TypeDeclaration) -> Bool {
    declaration.access.map { $0 == .public || $0 == .open }
      ?? surroundings.first.map { $0.keyword == "extension" && $0.access == .public } ?? false
  }
}

extension Member {
  /// The names that the member declares, in all clauses of `#if`; none for an enum's cases.
  fileprivate var names: [String] {
    switch self {
    case .type(let type): [type.name]
    case .variable(let variable): variable.bindings.compactMap(\.name)
    case .conditional(let clauses): clauses.flatMap(\.members).flatMap(\.names)
    case .other(let name): name.map { [$0] } ?? []
    case .enumCases, .attributes: []
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
