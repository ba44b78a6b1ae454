// Owns `onChange`: reactions to changes of a part of the state.

extension Reducer {
  /// Reacts when this reducer has changed a value. The reaction gets the old value and the state, which it may change
  /// further.
  ///
  /// It compares the values before and after **this** reducer runs; it does not see changes by parents or siblings.
  /// Put `CombineReducers` around several reducers to watch them all.
  @warn_unqualified_access
  public func onChange<Value: Equatable>(
    of value: @escaping (State) -> Value,
    _ perform: @escaping (_ oldValue: Value, _ state: inout State) -> Effect<Action>
  ) -> some ReducerOf<Self> {
    _OnChangeReducer(base: self, value: value, isEqual: ==) { old, _ in
      Reduce { state, _ in perform(old, &state) }
    }
  }

  /// Runs a reducer, made from the old and the new value, when this reducer has changed a value.
  @warn_unqualified_access
  public func onChange<Value: Equatable, R: ReducerOf<Self>>(
    of value: @escaping (State) -> Value,
    @ReducerBuilder<State, Action> _ reducer: @escaping (_ oldValue: Value, _ newValue: Value) -> R
  ) -> _OnChangeReducer<Self, Value, R> {
    _OnChangeReducer(base: self, value: value, isEqual: ==, reducer: reducer)
  }

  /// Runs a reducer, made from the old and the new value, when this reducer has changed a value according to `isEqual`.
  @warn_unqualified_access
  public func onChange<Value, R: ReducerOf<Self>>(
    of value: @escaping (State) -> Value, removeDuplicates isEqual: @escaping (Value, Value) -> Bool,
    @ReducerBuilder<State, Action> _ reducer: @escaping (_ oldValue: Value, _ newValue: Value) -> R
  ) -> _OnChangeReducer<Self, Value, R> {
    _OnChangeReducer(base: self, value: value, isEqual: isEqual, reducer: reducer)
  }
}

/// The reducer behind `onChange`.
public struct _OnChangeReducer<Base: Reducer, Value, R: ReducerOf<Base>>: CompositeReducer {
  let base: Base
  let value: (Base.State) -> Value
  let isEqual: (Value, Value) -> Bool
  let reducer: (Value, Value) -> R

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    base.prepared().wrapped { [value, isEqual, reducer] base, state, action in
      let old = value(state)
      let effect = base.reduce(into: &state, action: action)
      let new = value(state)
      guard !isEqual(old, new) else { return effect }
      return effect.merge(with: reducer(old, new).reduce(into: &state, action: action))
    }
  }
}
