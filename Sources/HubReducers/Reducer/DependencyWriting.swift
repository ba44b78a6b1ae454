// Owns operators that change dependencies for one reducer, its children and their effects.

extension Reducer {
  /// Overrides a dependency for this reducer, its children and their effects.
  ///
  /// Of several overrides, the one closest to the reducer wins.
  @warn_unqualified_access
  public func dependency<Value: Sendable>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>, _ value: Value
  ) -> _DependencyWritingReducer<Self> {
    _DependencyWritingReducer(base: self) { $0[keyPath: keyPath] = value }
  }

  /// Overrides a dependency that is its own key for this reducer, its children and their effects.
  @warn_unqualified_access
  public func dependency<Value: TestDependencyKey>(
    _ value: Value
  ) -> _DependencyWritingReducer<Self> where Value.Value == Value {
    _DependencyWritingReducer(base: self) { $0[Value.self] = value }
  }

  /// Changes a dependency for this reducer, its children and their effects. The change is made for every action.
  @warn_unqualified_access
  public func transformDependency<Value>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>, transform: @escaping (inout Value) -> Void
  ) -> _DependencyWritingReducer<Self> {
    _DependencyWritingReducer(base: self) { transform(&$0[keyPath: keyPath]) }
  }
}

/// The reducer behind `dependency`.
public struct _DependencyWritingReducer<Base: Reducer>: CompositeReducer {
  let base: Base
  let update: (inout DependencyValues) -> Void

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let base = withDependencies(update) { self.base.prepared() }
    return PreparedReducer(base.supervision) { [update] state, action in
      withDependencies(update) { base.reduce(into: &state, action: action) }
    } supervise: { [update] state in
      withDependencies(update) { base.supervise(state) }
    }
  }
}
