// Owns the function by which an effect feeds actions back. It does not handle them.

/// Sends actions from an effect into the store that runs it.
///
/// `await send(.loaded(value))` returns once the action is reduced. It does nothing after the effect is cancelled.
/// Using it after the effect's operation has returned is reported as an issue.
public struct Send<Action>: Sendable {
  private let deliver: @Sendable @concurrent (sending Action, SentEffects) async -> Void

  /// Makes a `send` that passes actions to a function, for calling an effect's operation in a test.
  public init(_ deliver: @escaping @Sendable @concurrent (sending Action, SentEffects) async -> Void) {
    self.deliver = deliver
  }

  /// Sends an action.
  /// - Parameter effects: Whether the effects that the action causes belong to the sending effect's tree.
  public func callAsFunction(_ action: sending Action, effects: SentEffects = .attached) async {
    await deliver(action, effects)
  }

  func pullback<Child>(_ transform: @escaping @Sendable (Child) -> Action) -> Send<Child> {
    Send<Child> { [deliver] action, effects in await deliver(transform(action), effects) }
  }
}

/// The owner of a sent action's effects.
public enum SentEffects: Sendable, Hashable {
  /// They belong to the `send` at the tree's root: `finish()` on its `StoreTask` waits for them, and `cancel()`
  /// cancels them.
  case attached

  /// They continue after that tree is cancelled, until they or their scope end.
  case detached
}

/// The `send` of a reducer's effects.
public typealias SendOf<R: Reducer> = Send<R.Action>
