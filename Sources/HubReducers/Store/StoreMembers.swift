// Owns access to one property of a store's state, observed separately.

extension Store {
  /// A property of the state: `store.count`. Observation reports only changes of this property, after the `send` that
  /// made them; a property that is not Equatable always counts as changed.
  ///
  /// Cost: until it changes, the property is kept and compared after every `send`. `store.child.count` observes
  /// `child`.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value { core.observed(keyPath) }

  /// Passes the state after the last outermost send to a closure, without observing it.
  public func withState<R>(_ body: (_ state: State) throws -> R) rethrows -> R { try body(core.state) }
}

extension StoreCore {
  /// Reads a property for Observation.
  func observed<Value>(_ keyPath: KeyPath<State, Value>) -> Value {
    let value = state[keyPath: keyPath]
    let part = StoreChanges.Part(core: ObjectIdentifier(self), property: keyPath)
    changes.access(part) { [weak self] in self.map { !isKnownEqual(value, $0.state[keyPath: keyPath]) } }
    return value
  }
}

/// Marks a state whose properties are read individually through a store: `store.count`. That works for any state.
///
/// A store compares each property that was read with its value after a `send`, and notifies Observation of changes. So
/// a state needs no registrar, and this protocol has no members: it exists for code that uses `@ObservableState`.
public protocol ObservableState {}
