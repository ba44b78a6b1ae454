// Owns the handle on the effects that one `send` in a test started.

import HubReducers

/// The effects of one action sent to a test store, and of the actions that those effects sent in turn.
public struct TestStoreTask {
  private let tree: EffectTree?
  private let settle: () async -> Void
  private let settleUntil: (Duration?, () -> Bool) async -> Bool
  private let report: () -> String

  init<State, Action>(tree: EffectTree?, runtime: TestRuntime<State, Action>, patience: Patience) {
    self.tree = tree
    settle = runtime.settle
    settleUntil = { timeout, isDone in
      var patience = patience
      patience.explicit = timeout
      return await runtime.settle(patience, until: isDone)
    }
    report = { runtime.inFlightReport }
  }

  /// Cancels the effects and runs the consequences, until idle.
  public func cancel() async {
    tree?.cancel()
    await settle()
  }

  /// Runs until the effects have ended; fails if they do not.
  /// - Parameter timeout: How long to wait for them, in real time, instead of the store's `timeout`.
  public func finish(
    timeout: Duration? = nil, fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    guard let tree else { return }
    if await settleUntil(timeout, { tree.isFinished }) { return }
    fail(
      "The action's effects have not ended, and nothing is left to run that could end them:\n\(report())",
      at: IssueSite(fileID, filePath, line, column))
  }

  /// Whether the effects were cancelled as a whole.
  public var isCancelled: Bool { tree?.isCancelled ?? false }
}
