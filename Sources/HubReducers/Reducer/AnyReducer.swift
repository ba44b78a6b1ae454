// Owns the erased reducer, for bodies whose exact type cannot be known.

/// A type-erased reducer. It costs one indirect call per action.
public struct AnyReducer<State, Action>: Reducer {
  @usableFromInline let base: any Reducer<State, Action>

  /// Erases the reducer's type.
  @inlinable
  public init(_ base: any Reducer<State, Action>) { self.base = base }

  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    base.reduce(into: &state, action: action)
  }

  @inlinable
  public func supervise(_ state: State) -> Effect<Action> { base.supervise(state) }

  /// The erased type may have either, so the engine must check.
  @inlinable
  public static var supervision: Supervision { [.subscriptions, .scopes] }

  public func prepared() -> PreparedReducer<State, Action> { base.prepared() }
}
