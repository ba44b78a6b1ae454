// Owns sending an action in a test.

public import HubReducers
public import Testing

extension TestStore {
  /// Sends an action, runs everything that follows until it is idle, and checks the state right after the
  /// action itself.
  ///
  /// - Parameter update: Changes the state before to the state after; without it nothing may change.
  @discardableResult
  public func send(
    _ action: Action, assert update: ((inout State) throws -> Void)? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> TestStoreTask {
    accountForReceived(before: action, at: sourceLocation)
    let before = state
    let tree = runtime.send(action)
    let sent = runtime.log.sent ?? (before, [])
    state = sent.state
    expect(update, from: before, to: sent.state, sent.shared, at: sourceLocation)
    await runtime.settle()
    return TestStoreTask(tree: tree, runtime: runtime, outsideTimeout: outsideTimeout)
  }

  /// Sends the case without a payload.
  @discardableResult
  public func send(
    _ action: CaseKeyPath<Action, Void>, assert update: ((inout State) throws -> Void)? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> TestStoreTask {
    await send(AnyCasePath(action).embed(()), assert: update, sourceLocation: sourceLocation)
  }

  /// Sends the case with a payload.
  @discardableResult
  public func send<Value>(
    _ action: CaseKeyPath<Action, Value>, _ value: Value,
    assert update: ((inout State) throws -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> TestStoreTask {
    await send(AnyCasePath(action).embed(value), assert: update, sourceLocation: sourceLocation)
  }

  private func accountForReceived(before action: Action, at location: SourceLocation) {
    guard let last = received.last else { return }
    switch exhaustivity {
    case .on:
      fail(
        "Before sending \(action), receive the actions that effects sent:\n\(receivedReport)", at: location)
    case .off(let show):
      if show { note("Actions that were passed over:\n\(receivedReport)", at: location) }
    }
    state = last.state
    received.removeAll()
  }
}
