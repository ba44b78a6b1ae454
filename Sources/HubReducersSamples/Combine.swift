// Owns reducers that are plain functions, and the running of several of them as one.

public import HubReducers

/// Runs reducers one after the other on the same state.
///
/// A plain reducer is a function `(inout Value, Action) -> Void`: it changes state and has no effects. It is Sendable, so
/// that a whole program's reducer can be a global constant. `Reduce(function:)` makes it part of a feature.
public func combine<Value, Action>(
  _ reducers: @Sendable (inout Value, Action) -> Void...
) -> @Sendable (inout Value, Action) -> Void {
  { value, action in
    for reducer in reducers { reducer(&value, action) }
  }
}

extension Reduce {
  /// The reducer that runs a plain function and has no effects.
  public init(function: @escaping (inout State, Action) -> Void) {
    self.init { state, action -> Effect<Action> in
      function(&state, action)
      return .none
    }
  }
}
