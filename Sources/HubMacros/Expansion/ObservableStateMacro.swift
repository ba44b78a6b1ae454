// Owns the expansion of @ObservableState: the conformance. A store observes what is read through it, so a state needs no more.

enum ObservableStateMacro {
  private static let name = "@ObservableState"

  static func conformance(_ request: MacroRequest) throws(Rejection) -> String {
    let (declaration, _) = try request.type(["struct", "enum"], "a struct or an enum", for: name)
    try request.rejectPrivateNesting(of: declaration, macro: name)
    let isMissing = !request.missingConformances.isEmpty
    return request.conformance(
      of: declaration, to: isMissing ? ["nonisolated HubReducers.ObservableState"] : [])
  }
}
