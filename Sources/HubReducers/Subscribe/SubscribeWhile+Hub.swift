// Owns `subscribe(to:while:)` for a store of the hub.

extension Reducer {
  /// Follows a store of the hub exactly while a condition on the state holds.
  ///
  /// ```swift
  /// .subscribe(to: hub.value("audio.volume", of: Double.self), while: \.isOpen, with: \.volumeChanged)
  /// ```
  /// - Parameters:
  ///   - value: The store.
  ///   - policy: What is kept for a reducer that is slower than the changes; by default the newest value.
  ///   - condition: Evaluated after every action of the store, and for its first state.
  ///   - response: The action that carries a value.
  ///   - lifecycle: The action that carries the subscription's own events. Without it an error is a reported
  ///     issue.
  public func subscribe<Value: Sendable>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(),
    while condition: @escaping (State) -> Bool,
    with response: CaseKeyPath<Action, Value>, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> _SubscribeWhileReducer<Self, Bool> {
    subscribe(
      to: value, policy: policy, while: condition, with: response, lifecycle: lifecycle, fileID: fileID,
      filePath: filePath, line: line, column: column
    ) { $0 }
  }

  /// Follows a store of the hub while a condition holds; each value, transformed, is the payload of a response.
  public func subscribe<Value: Sendable, Payload>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(),
    while condition: @escaping (State) -> Bool,
    with response: CaseKeyPath<Action, Payload>, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, transform: @escaping @Sendable (Value) -> Payload
  ) -> _SubscribeWhileReducer<Self, Bool> {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription(response, lifecycle, .detached, site, transform: transform)
    return _SubscribeWhileReducer(base: self, response, site, wanted: { condition($0) ? true : nil }) { _ in
      subscription.effect(following: value, policy)
    }
  }

  /// Follows a store of the hub while a condition holds; each value is handled by an operation.
  public func subscribe<Value: Sendable>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(),
    while condition: @escaping (State) -> Bool,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Value) async throws -> Void
  ) -> _SubscribeWhileReducer<Self, Bool> {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription(lifecycle, .detached, site, deliver: operation)
    return _SubscribeWhileReducer(base: self, nil, site, wanted: { condition($0) ? true : nil }) { _ in
      subscription.effect(following: value, policy)
    }
  }

  /// Follows the store that a part of the state names, exactly while there is one, and another when it changes.
  public func subscribe<Argument: Hashable & Sendable, Value: Sendable>(
    to value: @escaping @Sendable (Argument) -> SharedValue<Value>, policy: StreamPolicy = .latest(),
    while argument: @escaping (State) -> Argument?, with response: CaseKeyPath<Action, Value>,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeWhileReducer<Self, Argument> {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription<Action, Value>(response, lifecycle, .detached, site) { $0 }
    return _SubscribeWhileReducer(base: self, response, site, wanted: argument) { argument in
      subscription.effect(following: value(argument), policy)
    }
  }
}
