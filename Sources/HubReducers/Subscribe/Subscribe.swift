// Owns `subscribe(to:on:)` for stores of the hub, and the account of what all its forms have in common.

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
  ///
  /// This reducer handles the trigger first. The subscription ends with what it follows, with `until`, with the
  /// `StoreTask` of the trigger, and with the scope it is in. The other forms follow other sources, run while the state
  /// asks for them, or do something else with an element: <doc:Subscribing> shows them together. Ideas: Oliver Foggin's
  /// and m-housh's swift-composable-subscriber.
  /// - Parameters:
  ///   - value: The store.
  ///   - policy: What is kept for a reducer that is slower than the changes; by default the newest value.
  ///   - trigger: The action that starts it.
  ///   - response: The action that carries a value.
  ///   - stop: The action that ends it.
  ///   - retrigger: What a second trigger does while it runs; by default it starts anew, never doubles.
  ///   - responses: Whether the effects of response actions end with the trigger's `StoreTask`. By default they go on.
  ///   - lifecycle: The action that carries the subscription's own events, among them how many changes were skipped.
  ///     Without it an error is a reported issue.
  public func subscribe<Trigger, Value: Sendable>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(), on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Value>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> {
    subscribed(
      to: Source(value, policy), on: trigger, until: stop, retrigger,
      Handling(response, lifecycle, responses, IssueSite(fileID, filePath, line, column)) { $0 })
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
    subscribed(
      to: Source(value, policy), on: trigger, until: stop, retrigger,
      Handling(response, lifecycle, responses, IssueSite(fileID, filePath, line, column), transform))
  }

  /// Follows a store of the hub; each value is handled by an operation, which may send any number of actions.
  ///
  /// The next value is asked for when the operation has returned.
  public func subscribe<Trigger, Value: Sendable>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(), on trigger: CaseKeyPath<Action, Trigger>,
    until stop: PartialCaseKeyPath<Action>? = nil, onRetrigger retrigger: Retrigger = .restart,
    responses: SentEffects = .detached, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Value) async throws -> Void
  ) -> _SubscribeReducer<Self> {
    subscribed(
      to: Source(value, policy), on: trigger, until: stop, retrigger,
      Handling(lifecycle, responses, IssueSite(fileID, filePath, line, column), operation))
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
    subscribed(
      to: Source(value, policy, using: toArgument), on: trigger, until: stop, retrigger,
      Handling(response, lifecycle, responses, IssueSite(fileID, filePath, line, column)) { $0 })
  }
}
