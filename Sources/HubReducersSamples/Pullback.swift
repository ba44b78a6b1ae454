// Owns making a plain reducer of a part work on the whole: along its state, its actions, or both.

public import HubReducers

/// Makes a reducer of a part of the state work on the whole, with a getter and a setter.
public func pullback<LocalValue, GlobalValue, Action>(
  _ reducer: @escaping @Sendable (inout LocalValue, Action) -> Void,
  get: @escaping @Sendable (GlobalValue) -> LocalValue,
  set: @escaping @Sendable (inout GlobalValue, LocalValue) -> Void
) -> @Sendable (inout GlobalValue, Action) -> Void {
  { value, action in
    var local = get(value)
    reducer(&local, action)
    set(&value, local)
  }
}

/// Makes a reducer of a property work on its owner, in place.
public func pullback<LocalValue, GlobalValue, Action>(
  _ reducer: @escaping @Sendable (inout LocalValue, Action) -> Void,
  value: any WritableKeyPath<GlobalValue, LocalValue> & Sendable
) -> @Sendable (inout GlobalValue, Action) -> Void {
  { reducer(&$0[keyPath: value], $1) }
}

/// Makes a reducer of the actions in one case work on all actions; it ignores the others.
public func pullback<Value, LocalAction, GlobalAction>(
  _ reducer: @escaping @Sendable (inout Value, LocalAction) -> Void,
  action: CaseKeyPath<GlobalAction, LocalAction>
) -> @Sendable (inout Value, GlobalAction) -> Void {
  let path = AnyCasePath(action)
  return { value, action in
    if let local = path.extract(from: action) { reducer(&value, local) }
  }
}

/// Makes a reducer of a property and of the actions in one case work on the whole.
public func pullback<LocalValue, GlobalValue, LocalAction, GlobalAction>(
  _ reducer: @escaping @Sendable (inout LocalValue, LocalAction) -> Void,
  value: any WritableKeyPath<GlobalValue, LocalValue> & Sendable,
  action: CaseKeyPath<GlobalAction, LocalAction>
) -> @Sendable (inout GlobalValue, GlobalAction) -> Void {
  pullback(pullback(reducer, value: value), action: action)
}

/// Makes a reducer of one case of an enum state work on the whole state; in other cases it does nothing.
public func pullback<LocalValue, GlobalValue, Action>(
  _ reducer: @escaping @Sendable (inout LocalValue, Action) -> Void,
  value: CaseKeyPath<GlobalValue, LocalValue>
) -> @Sendable (inout GlobalValue, Action) -> Void {
  let path = AnyCasePath(value)
  return { value, action in
    guard var local = path.extract(from: value) else { return }
    reducer(&local, action)
    value = path.embed(local)
  }
}
