// Owns the reducer that may be absent, the result of an `if` in a body.

extension Optional: Reducer where Wrapped: Reducer {
  /// Does nothing if there is no reducer.
  @inlinable
  public func reduce(into state: inout Wrapped.State, action: Wrapped.Action) -> Effect<Wrapped.Action> {
    self?.reduce(into: &state, action: action) ?? .none
  }

  @inlinable
  public func supervise(_ state: Wrapped.State) -> Effect<Wrapped.Action> { self?.supervise(state) ?? .none }

  @inlinable
  public static var supervision: Supervision { Wrapped.supervision }

  public func prepared() -> PreparedReducer<Wrapped.State, Wrapped.Action> {
    self?.prepared() ?? PreparedReducer([])
  }
}
