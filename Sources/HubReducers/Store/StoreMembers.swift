// Owns reading one property of a store's state, observed by itself.

extension Store {
  /// A property of the state: `store.count`. Observation reports only changes of this property, after the `send` that makes
  /// them; a property that is not Equatable counts as changed every time.
  ///
  /// Cost: until it has changed, the property is kept and compared after every `send`. `store.child.count` observes `child`.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value { core.observed(keyPath) }

  /// Gives the state after the last outermost send to a closure, unobserved.
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
