// Owns the compiler's messages for values that cannot be. Each form exists to be refused: without it the compiler's message is
// misleading.

public import HubCore

extension Hub {
  @available(*, unavailable, message: "the type of a value must be Codable and Sendable")
  @_disfavoredOverload
  public func value<Value: Sendable>(_ name: String, of type: Value.Type) -> SharedValue<Value> {
    fatalError()
  }
}

extension SharedValue {
  @available(
    *, unavailable, message: "a value cannot show that it is overdue: use events(atMost:by:when:deadline:)"
  )
  public func values(
    atMost interval: Duration? = nil, by deadband: Deadband? = nil, when condition: WatchCondition? = nil,
    deadline: Duration
  ) -> ValueSequence<Value> {
    fatalError()
  }
}
