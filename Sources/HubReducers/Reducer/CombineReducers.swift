// Owns the grouping of reducers, so that one operator can be applied to all of them.

/// Several reducers as one: `CombineReducers { A(); B() }.onChange(of: ...)` sees the changes of both.
public struct CombineReducers<State, Action, Reducers: Reducer<State, Action>>: Reducer {
  @usableFromInline let reducers: Reducers

  /// The reducers of the closure, in order.
  @inlinable
  public init(@ReducerBuilder<State, Action> _ build: () -> Reducers) { reducers = build() }

  @inlinable
  public var body: Reducers { return reducers }
}
