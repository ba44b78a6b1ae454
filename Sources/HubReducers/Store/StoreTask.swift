// Owns the handle on the effects that one `send` started.

/// The effects of one action sent to a store, and of the actions that those effects sent in turn.
public struct StoreTask: Sendable, Hashable {
  /// `nil`: nothing was started.
  let tree: EffectTree?

  /// Waits until every effect has ended. If the waiting task is cancelled, so are the effects: a view's task ends the
  /// subscriptions that it started.
  public func finish() async {
    guard let tree else { return }
    await withTaskCancellationHandler {
      await tree.finished()
    } onCancel: {
      tree.cancel()
    }
  }

  /// Cancels the effects, from any thread. Effects of actions that were sent as detached continue.
  public func cancel() { tree?.cancel() }

  /// Whether the effects were cancelled as a whole.
  public var isCancelled: Bool { tree?.isCancelled ?? false }

  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.tree === rhs.tree }

  public func hash(into hasher: inout Hasher) { hasher.combine(tree.map(ObjectIdentifier.init)) }
}
