// Owns the expansion of @CasePathable: one case path per case of an enum, and the conformance.

enum CasePathableMacro {
  private static let name = "@CasePathable"

  /// `extension Outer.Action: HubReducers.CasePathable {}`, with the availability of the enum.
  ///
  /// The compiler always asks for this, but asks for members only if something looks one up. So an enum that cannot
  /// have members is rejected here.
  static func conformance(_ request: MacroRequest) throws(Rejection) -> String {
    _ = try expandMembers(request)
    let isMissing = !request.missingConformances.isEmpty
    return request.conformance(
      of: try enumeration(request).0, to: isMissing ? ["nonisolated HubReducers.CasePathable"] : [])
  }

  /// `AllCasePaths` and the static property with its value.
  ///
  /// All are `public`, which in a less visible enum means only the enum's own level. So it also works in a `public
  /// extension`, where the enum itself has no access modifier.
  static func members(_ request: MacroRequest) -> String {
    (try? expandMembers(request)) ?? ""
  }

  private static func expandMembers(_ request: MacroRequest) throws(Rejection) -> String {
    let (declaration, list) = try enumeration(request)
    let members = try declaration.members(for: name)
    try rejectShadowing(of: declaration, by: members)
    let expander = CasePathExpander(root: declaration.name, list: list)
    var writer = SourceWriter()
    try writer.block("public nonisolated struct AllCasePaths: Swift.Sendable {") {
      (writer) throws(Rejection) in
      try expander.write(members, seen: [], to: &writer)
    }
    writer.line("public nonisolated static var allCasePaths: AllCasePaths { AllCasePaths() }")
    return writer.text
  }

  private static func enumeration(
    _ request: MacroRequest
  ) throws(Rejection) -> (TypeDeclaration, TokenList) {
    let (declaration, list) = try request.type(["enum"], "an enum", for: name)
    try request.rejectPrivateNesting(of: declaration, macro: name)
    for type in declaration.inherited where type.prefixes.contains("~") {
      guard case .named(let path, _) = type.shape, path.hasSuffix("Copyable") || path.hasSuffix("Escapable")
      else { continue }
      throw Rejection(
        "'\(name)' needs a copyable enum: a case path returns copies of values",
        at: list.tokens[type.range.lowerBound].start)
    }
    return (declaration, list)
  }

  /// The generated code names the enum, so nothing inside may go by the same name.
  private static func rejectShadowing(
    of declaration: TypeDeclaration, by members: [Member]
  ) throws(Rejection) {
    for member in members {
      switch member {
      case .type(let type) where type.name == declaration.name:
        throw Rejection(
          "'\(name)' cannot name the enum '\(declaration.name)' where a nested type hides it",
          at: type.keywordOffset, length: type.keyword.utf8.count)
      case .conditional(let clauses):
        for clause in clauses { try rejectShadowing(of: declaration, by: clause.members) }
      default: break
      }
    }
  }
}
