// Owns receiving, in a test, the actions that effects sent.

public import HubReducers

extension TestStore where Action: Equatable {
  /// Expects an effect to have sent exactly this action next, and checks the state after it.
  ///
  /// If nothing was received, it fails immediately when no effect in flight could send the action, otherwise after a
  /// while.
  /// - Parameters:
  ///   - expected: The action.
  ///   - timeout: How long to wait, in real time, for the effects in flight, instead of ``timeout``.
  ///   - update: Changes the earlier state to the later one; without it, the state must not change.
  public func receive(
    _ expected: Action, timeout: Duration? = nil, assert update: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await receive(
      where: { $0 == expected }, "\(expected)", timeout, update, IssueSite(fileID, filePath, line, column),
      explain: { difference(expected, $0).map { "(- expected, + received):\n\($0)" } ?? "" })
  }
}

extension TestStore {
  /// Expects an effect to have sent an action that matches.
  public func receive(
    _ isMatching: (Action) -> Bool, timeout: Duration? = nil,
    assert update: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await receive(
      where: isMatching, "a matching action", timeout, update, IssueSite(fileID, filePath, line, column))
  }

  /// Expects an effect to have sent an action in a case, whatever its payload.
  public func receive<Value>(
    _ action: CaseKeyPath<Action, Value>, timeout: Duration? = nil,
    assert update: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let path = AnyCasePath(action)
    await receive(
      where: { path.extract(from: $0) != nil }, "an action in \(path)", timeout, update,
      IssueSite(fileID, filePath, line, column))
  }

  /// Expects an effect to have sent an action in a case, with this payload.
  public func receive<Value: Equatable>(
    _ action: CaseKeyPath<Action, Value>, _ value: Value, timeout: Duration? = nil,
    assert update: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let path = AnyCasePath(action)
    await receive(
      where: { path.extract(from: $0) == value }, "\(path.embed(value))", timeout, update,
      IssueSite(fileID, filePath, line, column),
      explain: { received in
        path.extract(from: received).flatMap { difference(value, $0) }
          .map { "(- expected, + received):\n\($0)" } ?? ""
      })
  }

  /// Exists only to be refused, because without it the compiler complains about the wrong argument.
  @available(
    *, unavailable,
    message: "the actions are not Equatable: name the case, receive(\\.tapped), or make them Equatable"
  )
  @_disfavoredOverload
  public func receive(
    _ expected: Action, timeout: Duration? = nil, assert update: ((inout State) throws -> Void)? = nil
  ) async {
    fatalError()
  }

  private func receive(
    where isMatching: (Action) -> Bool, _ expected: String, _ timeout: Duration?,
    _ update: ((inout State) throws -> Void)?, _ site: IssueSite, explain: (Action) -> String = { _ in "" }
  ) async {
    let isThere = await runtime.settle(patience(timeout)) { nextIndex(isMatching) != nil }
    guard isThere, let index = nextIndex(isMatching) else { return failNothingReceived(expected, site) }
    if exhaustivity != .on { passOver(index, site) }
    let next = received.remove(at: exhaustivity == .on ? index : 0)
    if isMatching(next.action) {
      expect(update, of: next, at: site)
    } else {
      fail(
        "Expected to receive \(expected), but received \(next.action) \(explain(next.action))", at: site)
    }
    account(for: next)
  }

  /// The matching received action. An exhaustive test takes them in order; actions that an earlier failure reported may
  /// come late, or never.
  private func nextIndex(_ isMatching: (Action) -> Bool) -> Int? {
    received.firstIndex { (exhaustivity == .on && !$0.isReported) || isMatching($0.action) }
  }

  /// Skips the received actions before the given one.
  private func passOver(_ count: Int, _ site: IssueSite) {
    guard count > 0 else { return }
    if exhaustivity == .off(showSkippedAssertions: true) {
      let names = received[..<count].map { "  \($0.action)" }
      note("Skipped actions:\n\(names.joined(separator: "\n"))", at: site)
    }
    account(for: received[count - 1])
    received.removeSubrange(..<count)
  }

  private func failNothingReceived(_ expected: String, _ site: IssueSite) {
    let others = received.isEmpty ? "" : " Received instead:\n\(receivedReport)"
    let inFlight =
      !runtime.engine.hasEffectsInFlight
      ? "No effect is running that could send it."
      : """
      Nothing is left to run, and the effects in flight are waiting. If they wait for a TestClock, advance it; if \
      they need more time, pass timeout:
      \(runtime.inFlightReport)
      """
    fail("Expected to receive \(expected), but received nothing. \(inFlight)\(others)", at: site)
  }
}
