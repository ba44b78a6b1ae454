// Owns plain reducers made from plain reducers: code that every action passes through, written once.

/// Runs a reducer and then reports what it did: a log, a history, an activity feed.
///
/// - Parameter report: Gets the value before, the action and the value after.
public func reporting<Value, Action>(
  _ reducer: @escaping @Sendable (inout Value, Action) -> Void,
  to report: @escaping @Sendable (_ before: Value, Action, _ after: Value) -> Void
) -> @Sendable (inout Value, Action) -> Void {
  { value, action in
    let before = value
    reducer(&value, action)
    report(before, action, value)
  }
}

/// Runs a reducer only for actions that a condition on the value lets through.
public func filtering<Value, Action>(
  _ reducer: @escaping @Sendable (inout Value, Action) -> Void,
  where isAllowed: @escaping @Sendable (Value, Action) -> Bool
) -> @Sendable (inout Value, Action) -> Void {
  { value, action in
    if isAllowed(value, action) { reducer(&value, action) }
  }
}
