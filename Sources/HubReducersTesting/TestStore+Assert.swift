// Owns the comparison of the state that a test expects with the one that came about.

import HubReducers
public import Testing

extension TestStore {
  /// Checks the present state: change the given copy to what it should be. Under exhaustivity the copy starts
  /// as the last asserted state, so only what an action changed can differ.
  public func assert(
    sourceLocation: SourceLocation = #_sourceLocation, _ update: (inout State) throws -> Void
  ) {
    var expected = state
    let shared = SharedAssertion([])
    guard apply(update, to: &expected, shared, at: sourceLocation) else { return }
    compare(expected, with: state, shared, at: sourceLocation)
  }

  /// Compares the state after an action with the one before it as the test changed it.
  func expect(
    _ update: ((inout State) throws -> Void)?, from before: State, to actual: State,
    _ changes: [SharedChanges.Change], at location: SourceLocation
  ) {
    let shared = SharedAssertion(changes)
    switch exhaustivity {
    case .on:
      var expected = before
      guard let update else { return compare(expected, with: actual, shared, at: location) }
      guard apply(update, to: &expected, shared, at: location) else { return }
      if expected == before, actual == before, shared.isUntouched {
        return fail(
          "The closure says that the state changes, but neither it nor the action changed anything. Remove it.",
          at: location)
      }
      compare(expected, with: actual, shared, at: location)
    case .off(let show):
      var expected = actual
      if let update {
        guard apply(update, to: &expected, shared, at: location) else { return }
        compare(expected, with: actual, shared, at: location)
      }
      if show { mentionUnasserted(update, from: before, to: actual, at: location) }
    }
  }

  private func mentionUnasserted(
    _ update: ((inout State) throws -> Void)?, from before: State, to actual: State,
    at location: SourceLocation
  ) {
    var asserted = before
    try? SharedAssertion.$current.withValue(SharedAssertion([])) { try update?(&asserted) }
    guard asserted != actual, let lines = difference(asserted, actual) else { return }
    note("State changes that were not asserted:\n\(lines)", at: location)
  }

  private func apply(
    _ update: (inout State) throws -> Void, to expected: inout State, _ shared: SharedAssertion,
    at location: SourceLocation
  ) -> Bool {
    do {
      try SharedAssertion.$current.withValue(shared) { try update(&expected) }
      return true
    } catch {
      fail("The closure threw \(error)", at: location)
      return false
    }
  }

  private func compare(
    _ expected: State, with actual: State, _ shared: SharedAssertion, at location: SourceLocation
  ) {
    if expected != actual {
      let lines =
        difference(expected, actual) ?? "  (they print the same: compare how == tells them apart)"
      fail("The state is not what was expected (- expected, + actual):\n\(lines)", at: location)
    }
    for lines in shared.differences(onlyAsserted: exhaustivity != .on) {
      fail("A shared value is not what was expected (- expected, + actual):\n\(lines)", at: location)
    }
  }
}
