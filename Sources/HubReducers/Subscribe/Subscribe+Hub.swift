// Owns `subscribe(to:on:)` for a store of the hub.

extension Reducer {
  /// Follows a store of the hub from a trigger action on; each value is the payload of a response action.
  ///
  /// ```swift
  /// @Dependency(\.hub) var hub
  ///
  /// Reduce { state, action in ... }
  ///   .subscribe(to: hub.value("number", of: Int.self), on: \.task, with: \.newNumberReceived)
  /// ```
  /// The value now comes first, if there is one. The subscription outlives the hub's restarts, and a value that cannot
  /// be read as a `Value`; removals are not told (subscribe to `hub.value(...).events` for those). Subscriptions to one
  /// store share one watch of the process.
  /// - Parameters:
  ///   - value: The store.
  ///   - policy: What is kept for a reducer that is slower than the changes; by default the newest value.
  ///   - trigger: The action that starts it.
  ///   - response: The action that carries a value.
  ///   - stop: The action that ends it.
  ///   - retrigger: What a second trigger does while it runs; by default it starts anew, never doubles.
  ///   - responses: Whether the effects of response actions end with the trigger's `StoreTask`.
  ///   - lifecycle: The action that carries the subscription's own events, among them how many changes were skipped.
  ///     Without it an error is a reported issue.
  public func subscribe<Trigger, Value: Sendable>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(), on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Value>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> {
    subscribe(
      to: value, policy: policy, on: trigger, with: response, until: stop, onRetrigger: retrigger,
      responses: responses, lifecycle: lifecycle, fileID: fileID, filePath: filePath, line: line,
      column: column
    ) { $0 }
  }

  /// Follows a store of the hub; each value, transformed, is the payload of a response action.
  public func subscribe<Trigger, Value: Sendable, Payload>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(), on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    transform: @escaping @Sendable (Value) -> Payload
  ) -> _SubscribeReducer<Self> {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription(response, lifecycle, responses, site, transform: transform)
    return _SubscribeReducer(base: self, on: trigger, until: stop, retrigger, response, site) { _ in
      subscription.effect(following: value, policy)
    }
  }

  /// Follows a store of the hub; each value is handled by an operation, which may send any number of actions.
  public func subscribe<Trigger, Value: Sendable>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(), on trigger: CaseKeyPath<Action, Trigger>,
    until stop: PartialCaseKeyPath<Action>? = nil, onRetrigger retrigger: Retrigger = .restart,
    responses: SentEffects = .detached, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Value) async throws -> Void
  ) -> _SubscribeReducer<Self> {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription(lifecycle, responses, site, deliver: operation)
    return _SubscribeReducer(base: self, on: trigger, until: stop, retrigger, nil, site) { _ in
      subscription.effect(following: value, policy)
    }
  }

  /// Follows the store that a part of the state names, as it is once this reducer has handled the trigger.
  ///
  /// ```swift
  /// .subscribe(to: { hub.value("room.\($0)", of: Int.self) }, using: \.roomID, on: \.task, with: \.countChanged)
  /// ```
  public func subscribe<Trigger, Argument: Sendable, Value: Sendable>(
    to value: @escaping @Sendable (Argument) -> SharedValue<Value>, policy: StreamPolicy = .latest(),
    using toArgument: @escaping (State) -> Argument, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Value>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription<Action, Value>(response, lifecycle, responses, site) { $0 }
    return _SubscribeReducer(base: self, on: trigger, until: stop, retrigger, response, site) { state in
      subscription.effect(following: value(toArgument(state)), policy)
    }
  }
}
