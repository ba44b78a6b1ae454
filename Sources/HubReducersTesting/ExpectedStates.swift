// Owns the comparison of expected and actual states.

import HubReducers

extension TestStore {
  /// Checks the current state: change the given copy to the expected state. Under exhaustivity the copy starts as the
  /// last asserted state, so only changes by actions can differ.
  public func assert(
    _ update: (inout State) throws -> Void, fileID: StaticString = #fileID,
    file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    let site = IssueSite(fileID, filePath, line, column)
    var expected = state
    let shared = SharedAssertion([])
    let next = dependencies.stackElementID.peek()
    guard apply(update, to: &expected, shared, next, at: site) else { return }
    compare(expected, with: state, shared, at: site)
  }

  /// Compares the state after an action with the earlier state as changed by the test.
  func expect(
    _ update: ((inout State) throws -> Void)?, of step: TestRuntime<State, Action>.Step, at site: IssueSite
  ) {
    let (before, actual) = (step.before, step.after)
    let shared = SharedAssertion(step.shared)
    switch exhaustivity {
    case .on:
      var expected = before
      guard let update else { return compare(expected, with: actual, shared, at: site) }
      guard apply(update, to: &expected, shared, step.nextStackElement, at: site) else { return }
      if expected == before, actual == before, shared.isUntouched {
        return fail(
          "A closure was given, but neither it nor the action changed the state. Remove the closure.",
          at: site)
      }
      compare(expected, with: actual, shared, at: site)
    case .off(let show):
      var expected = actual
      if let update {
        guard apply(update, to: &expected, shared, step.nextStackElement, at: site) else { return }
        compare(expected, with: actual, shared, at: site)
      }
      if show { mentionUnasserted(update, of: step, at: site) }
    }
  }

  private func mentionUnasserted(
    _ update: ((inout State) throws -> Void)?, of step: TestRuntime<State, Action>.Step, at site: IssueSite
  ) {
    var asserted = step.before
    try? withSurroundings(SharedAssertion([]), step.nextStackElement) { try update?(&asserted) }
    guard asserted != step.after, let lines = difference(asserted, step.after) else { return }
    note("State changes that were not asserted:\n\(lines)", at: site)
  }

  private func apply(
    _ update: (inout State) throws -> Void, to expected: inout State, _ shared: SharedAssertion,
    _ nextStackElement: StackElementID, at site: IssueSite
  ) -> Bool {
    do {
      try withSurroundings(shared, nextStackElement) { try update(&expected) }
      return true
    } catch {
      fail("The closure threw \(error)", at: site)
      return false
    }
  }

  /// A closure sees the dependencies of the reducer, shared values as they were, and puts elements on stacks with the ids
  /// that the action gave them.
  private func withSurroundings(
    _ shared: SharedAssertion, _ nextStackElement: StackElementID, _ body: () throws -> Void
  ) rethrows {
    var values = dependencies
    values.stackElementID = StackElementIDGenerator(from: nextStackElement)
    try DependencyValues.$current.withValue(values) {
      try SharedAssertion.$current.withValue(shared, operation: body)
    }
  }

  private func compare(
    _ expected: State, with actual: State, _ shared: SharedAssertion, at site: IssueSite
  ) {
    if expected != actual {
      let lines =
        difference(expected, actual) ?? "  (they print the same, but == distinguishes them: check ==)"
      fail("The state is not what was expected (- expected, + actual):\n\(lines)", at: site)
    }
    for (key, lines) in shared.differences(onlyAsserted: exhaustivity != .on) {
      fail("The shared value \(key) is not what was expected (- expected, + actual):\n\(lines)", at: site)
    }
  }
}
