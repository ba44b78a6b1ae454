// Owns what holds for the expansion of any source at all.

@testable import HubMacros

enum Expectation {
  static let all: [(macro: String, role: MacroRequest.Role)] = [
    ("CasePathableMacro", .member), ("CasePathableMacro", .extension), ("ReducerMacro", .memberAttribute),
    ("ReducerMacro", .extension), ("ReducerMacro", .member), ("ObservableStateMacro", .extension),
    ("DependencyClientMacro", .member),
  ]

  /// Why an expansion is wrong, or nil: it is rejected at places in its source, or can be read in turn.
  static func check(_ source: String, _ macro: String, _ role: MacroRequest.Role) -> String? {
    let expansion: String
    do {
      expansion = try expand(macro, role, source, in: [source])
    } catch {
      let inside = error.diagnostics.allSatisfy { (0...source.utf8.count).contains($0.range.lowerBound) }
      return inside && !error.diagnostics.isEmpty ? nil : "diagnostics out of place: \(error)"
    }
    do {
      switch role {
      case .member, .peer:
        guard case .type(let type) = try Cursor.parseDeclaration("struct S {\n\(expansion)\n}").0 else {
          return "no members: \(expansion)"
        }
        var body = type.body
        _ = try body.parseMembers()
      case .memberAttribute:
        _ = try Cursor.parseDeclaration(expansion + " var x: Int")
      case .extension:
        _ = expansion.isEmpty ? nil : try Cursor.parseDeclaration(expansion)
      }
      return nil
    } catch {
      return "\(macro) \(role) expands to what cannot be read: \(error)\n\(expansion)"
    }
  }
}
