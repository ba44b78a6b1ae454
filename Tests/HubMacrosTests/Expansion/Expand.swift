// Owns how the tests ask for an expansion.

@testable import HubMacros

/// What the macro adds for one role, with the source of the declarations around it, the innermost first.
func expand(
  _ macro: String, _ role: MacroRequest.Role, _ source: String, of type: String = "Outer.Foo",
  lacks missing: Set<String> = ["Reducer", "Sendable", "CasePathable"], in context: [String] = []
) throws(Rejection) -> String {
  try MacroHandler.expand(
    macro,
    MacroRequest(
      role: role, declaration: source, extendedType: type, missingConformances: missing,
      lexicalContext: context))
}

/// Each message with the source that it points at.
func rejections(
  _ macro: String, _ role: MacroRequest.Role, _ source: String, in context: [String] = []
) -> [String] {
  do {
    _ = try expand(macro, role, source, in: context)
    return []
  } catch {
    return error.diagnostics.map { diagnostic in
      let bytes = Array(source.utf8)
      let range = diagnostic.range.clamped(to: 0..<bytes.count)
      return "\(String(decoding: bytes[range], as: UTF8.self)): \(diagnostic.message)"
    }
  }
}
