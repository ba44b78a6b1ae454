// Owns the handle on the effects that one `send` in a test started.

import HubReducers
public import Testing

/// The effects of one action sent to a test store, and of the actions that these sent in turn.
public struct TestStoreTask {
  private let tree: EffectTree?
  private let settle: () async -> Void
  private let settleUntil: (Duration?, () -> Bool) async -> Bool
  private let report: () -> String

  init<State, Action>(tree: EffectTree?, runtime: TestRuntime<State, Action>, outsideTimeout: Duration) {
    self.tree = tree
    settle = runtime.settle
    settleUntil = { await runtime.settle(timeout: $0, outside: outsideTimeout, until: $1) }
    report = { runtime.inFlightReport }
  }

  /// Cancels the effects and runs what that brings, until idle.
  public func cancel() async {
    tree?.cancel()
    await settle()
  }

  /// Runs until the effects have ended; fails if nothing is left to run before that.
  /// - Parameter timeout: How long to wait for work outside the test that is not announced.
  public func finish(timeout: Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
    guard let tree else { return }
    if await settleUntil(timeout, { tree.isFinished }) { return }
    fail(
      "The action's effects have not ended, and nothing is left to run that could end them:\n\(report())",
      at: sourceLocation)
  }

  /// Whether the effects were cancelled as a whole.
  public var isCancelled: Bool { tree?.isCancelled ?? false }
}
