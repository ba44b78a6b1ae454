// Owns receiving, in a test, the actions that effects sent.

public import HubReducers
public import Testing

extension TestStore where Action: Equatable {
  /// Expects an effect to have sent exactly this action next, and checks the state after it.
  ///
  /// Fails at once if nothing was received and nothing is left to run.
  /// - Parameters:
  ///   - expected: The action.
  ///   - timeout: How long to wait, in real time, for work outside the test that is not announced.
  ///   - update: Changes the state before to the state after; without it nothing may change.
  public func receive(
    _ expected: Action, timeout: Duration? = nil, assert update: ((inout State) throws -> Void)? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await receive(
      where: { $0 == expected }, "\(expected)", timeout, update, sourceLocation,
      explain: { difference(expected, $0).map { "(- expected, + received):\n\($0)" } ?? "" })
  }
}

extension TestStore {
  /// Expects an effect to have sent an action that matches.
  public func receive(
    _ isMatching: (Action) -> Bool, timeout: Duration? = nil,
    assert update: ((inout State) throws -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await receive(where: isMatching, "a matching action", timeout, update, sourceLocation)
  }

  /// Expects an effect to have sent an action in a case, whatever its payload.
  public func receive<Value>(
    _ action: CaseKeyPath<Action, Value>, timeout: Duration? = nil,
    assert update: ((inout State) throws -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let path = AnyCasePath(action)
    await receive(
      where: { path.extract(from: $0) != nil }, "an action in \(action)", timeout, update, sourceLocation)
  }

  /// Expects an effect to have sent an action in a case, with this payload.
  public func receive<Value: Equatable>(
    _ action: CaseKeyPath<Action, Value>, _ value: Value, timeout: Duration? = nil,
    assert update: ((inout State) throws -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let path = AnyCasePath(action)
    await receive(
      where: { path.extract(from: $0) == value }, "\(path.embed(value))", timeout, update, sourceLocation,
      explain: { received in
        path.extract(from: received).flatMap { difference(value, $0) }
          .map { "(- expected, + received):\n\($0)" } ?? ""
      })
  }

  private func receive(
    where isMatching: (Action) -> Bool, _ expected: String, _ timeout: Duration?,
    _ update: ((inout State) throws -> Void)?, _ location: SourceLocation,
    explain: (Action) -> String = { _ in "" }
  ) async {
    let isThere = await runtime.settle(timeout: timeout, outside: outsideTimeout) {
      exhaustivity == .on ? !received.isEmpty : received.contains { isMatching($0.action) }
    }
    guard isThere else { return failNothingReceived(expected, location) }
    let next = exhaustivity == .on ? received.removeFirst() : skip(to: isMatching, location)
    let before = state
    state = next.state
    guard isMatching(next.action) else {
      return fail(
        "Expected to receive \(expected), but received \(next.action) \(explain(next.action))", at: location)
    }
    expect(update, from: before, to: next.state, next.shared, at: location)
  }

  private func skip(
    to isMatching: (Action) -> Bool, _ location: SourceLocation
  ) -> TestRuntime<State, Action>.Received {
    let index = received.firstIndex { isMatching($0.action) } ?? 0
    if index > 0 {
      if exhaustivity == .off(showSkippedAssertions: true) {
        let names = received[..<index].map { "  \($0.action)" }
        note("Actions that were passed over:\n\(names.joined(separator: "\n"))", at: location)
      }
      state = received[index - 1].state
    }
    defer { received.removeSubrange(...index) }
    return received[index]
  }

  private func failNothingReceived(_ expected: String, _ location: SourceLocation) {
    let others = received.isEmpty ? "" : " Received instead:\n\(receivedReport)"
    let inFlight =
      !runtime.engine.hasEffectsInFlight
      ? "No effect is running that could send it."
      : "Nothing is left to run, and what is in flight waits:\n\(runtime.inFlightReport)"
    fail("Expected to receive \(expected), but received nothing. \(inFlight)\(others)", at: location)
  }
}
