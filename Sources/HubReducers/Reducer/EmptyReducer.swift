// Owns the reducer that does nothing: the identity of combining reducers.

/// Leaves the state alone and has no effects.
public struct EmptyReducer<State, Action>: Reducer {
  /// A reducer that does nothing.
  @inlinable
  public init() {}

  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }

  public func prepared() -> PreparedReducer<State, Action> { PreparedReducer([]) }
}
