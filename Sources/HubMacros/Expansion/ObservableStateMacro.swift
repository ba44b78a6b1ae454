// Owns the expansion of @ObservableState: the conformance. A store observes what is read through it, so a state needs no more.

enum ObservableStateMacro {
  private static let name = "@ObservableState"

  static func conformance(_ request: MacroRequest) throws(Rejection) -> String {
    guard case .type(let declaration) = try request.parse(for: name).member else {
      throw Rejection("'\(name)' needs a struct or an enum", at: 0)
    }
    guard ["struct", "enum"].contains(declaration.keyword) else {
      throw Rejection(
        "'\(name)' needs a struct or an enum, and '\(declaration.name)' is of kind '\(declaration.keyword)'",
        at: declaration.keywordOffset, length: declaration.keyword.utf8.count)
    }
    try request.rejectPrivateNesting(of: declaration, macro: name)
    guard !request.missingConformances.isEmpty, let type = request.extendedType else { return "" }
    var writer = SourceWriter()
    for attribute in request.availability(of: declaration) { writer.line(attribute) }
    writer.line("extension \(type): nonisolated HubReducers.ObservableState {}")
    return writer.text
  }
}
