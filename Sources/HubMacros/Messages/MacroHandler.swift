// Owns which answer a message of the compiler gets; it does no input or output.

import FoundationEssentials

package enum MacroHandler {
  /// The answer in JSON to one of the compiler's messages in JSON.
  ///
  /// - Throws: `DecodingError` if it is none.
  package static func answer(to message: [UInt8]) throws -> [UInt8] {
    let message = try JSONDecoder().decode(HostMessage.self, from: Data(message))
    return Array(try JSONEncoder().encode(reply(to: message)))
  }

  static func reply(to message: HostMessage) -> PluginMessage {
    switch message {
    case .getCapability:
      return .getCapabilityResult(capability: Capability(protocolVersion: 7))
    case .expandFreestandingMacro(let macro, let syntax):
      return refusal("\(macro.moduleName) has no freestanding macro '\(macro.typeName)'", at: syntax)
    case .expandAttachedMacro(
      let macro, let macroRole, let syntax, let extendedType, let conformances, let lexicalContext):
      guard let role = MacroRequest.Role(rawValue: macroRole) else {
        return refusal("'\(macro.typeName)' has no role '\(macroRole)'", at: syntax)
      }
      let request = MacroRequest(
        role: role, declaration: syntax.source, extendedType: extendedType?.source,
        missingConformances: conformances.map { protocols(of: $0.source) } ?? [],
        lexicalContext: (lexicalContext ?? []).map(\.source))
      do {
        return .expandMacroResult(
          expandedSource: try expand(macro.typeName, request), diagnostics: [])
      } catch {
        let diagnostics = error.diagnostics.map { DiagnosticMessage($0, in: syntax.location) }
        return .expandMacroResult(expandedSource: "", diagnostics: diagnostics)
      }
    }
  }

  /// The source added by the macro named by `#externalMacro(module: "HubMacrosPlugin", type: macro)` adds.
  static func expand(_ macro: String, _ request: MacroRequest) throws(Rejection) -> String {
    switch (macro, request.role) {
    case ("CasePathableMacro", .member): return CasePathableMacro.members(request)
    case ("CasePathableMacro", .extension): return try CasePathableMacro.conformance(request)
    case ("ReducerMacro", .extension): return try ReducerMacro.conformance(request)
    case ("ReducerMacro", .member): return try ReducerMacro.members(request)
    case ("ReducerMacro", .memberAttribute): return ReducerMacro.attribute(request)
    case ("ReducerCaseIgnoredMacro", .peer): return ""
    case ("ObservableStateMacro", .extension): return try ObservableStateMacro.conformance(request)
    case ("DependencyClientMacro", .member): return try DependencyClientMacro.members(request)
    default:
      throw Rejection("HubMacrosPlugin has no macro '\(macro)' for the role '\(request.role)'", at: 0)
    }
  }

  /// The last names of the protocols in `struct Placeholder: HubReducers.Reducer, Swift.Sendable {}`, which is how the
  /// compiler lists them.
  private static func protocols(of placeholder: String) -> Set<String> {
    guard case .type(let type)? = try? Cursor.parseDeclaration(placeholder).0 else { return [] }
    let names = type.inherited.compactMap { type -> String? in
      guard case .named(let path, _) = type.shape else { return nil }
      return path.split(separator: ".").last.map(String.init)
    }
    return Set(names)
  }

  private static func refusal(_ message: String, at syntax: SyntaxNode) -> PluginMessage {
    let diagnostic = Diagnostic(message: message, range: 0..<syntax.source.utf8.count)
    return .expandMacroResult(
      expandedSource: "", diagnostics: [DiagnosticMessage(diagnostic, in: syntax.location)])
  }
}
