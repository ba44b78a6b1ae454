// Owns the number store on the hub: one number for all programs.

import HubReducers

extension NumberStore {
  /// A number that lives in the hub, under a name, for every program of the machine or of the user.
  ///
  /// A stream begins with the current number, or with `initial` while there is none, once the hub answers. It survives the
  /// hub's restarts, and a slow reader skips to the newest number. The endpoints throw nothing, so a number that cannot be
  /// followed or set is a reported issue.
  ///
  /// The hub is the dependency `hub` where the number store is made.
  /// - Parameters:
  ///   - name: The store's name in the hub.
  ///   - initial: The number until one is set.
  public static func hub(_ name: String = "number", initial: Int = 0) -> Self {
    let number = Dependency(\.hub).wrappedValue.value(name, of: Int.self)
    return Self(
      value: { number.stream(or: initial) },
      updateValue: { value in
        do {
          try await withOutsideWork("setting \"\(name)\" in the hub") { () async throws(HubError) in
            _ = try await number.set(value)
          }
        } catch {
          // A cancelled caller needs no report.
          if !Task.isCancelled { reportIssueOfCaller("The number \(value) was not set in the hub: \(error)") }
        }
      })
  }
}
