// Owns sending an action in a test.

public import HubReducers

extension TestStore {
  /// Sends an action, runs all that follows until the store is idle, and checks the state as it was right after the
  /// action.
  ///
  /// Sending to a feature that has dismissed itself (see ``isDismissed``) fails the test.
  /// - Parameter update: Changes the earlier state to the later one; without it, the state must not change.
  @discardableResult
  public func send(
    _ action: Action, assert update: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async -> TestStoreTask {
    let site = IssueSite(fileID, filePath, line, column)
    guard !isDismissed else {
      fail(
        "The feature has dismissed itself, so \(action) was not sent: the feature that presented it would have removed it.",
        at: site)
      return TestStoreTask(tree: nil, runtime: runtime, patience: patience(nil))
    }
    accountForReceived(before: action, at: site)
    let tree = IssueSite.$caller.withValue(site) { runtime.send(action) }
    if let sent = runtime.log.sent {
      expect(update, of: sent, at: site)
      account(for: sent)
    }
    await runtime.settle()
    return TestStoreTask(tree: tree, runtime: runtime, patience: patience(nil))
  }

  /// Sends the case without a payload.
  @discardableResult
  public func send(
    _ action: CaseKeyPath<Action, Void>, assert update: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(()), assert: update, fileID: fileID, file: filePath, line: line,
      column: column)
  }

  /// Sends the case with a payload.
  @discardableResult
  public func send<Value>(
    _ action: CaseKeyPath<Action, Value>, _ value: Value,
    assert update: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(value), assert: update, fileID: fileID, file: filePath, line: line,
      column: column)
  }

  private func accountForReceived(before action: Action, at site: IssueSite) {
    guard let last = received.last else { return }
    switch exhaustivity {
    case .on:
      failForReceived("Before sending \(action), receive the actions that effects sent", at: site)
      account(for: last)
    case .off(let show):
      if show { note("Skipped actions:\n\(receivedReport)", at: site) }
      skipAllReceived()
    }
  }
}
