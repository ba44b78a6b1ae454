// Owns `subscribe(to:on:)` for a function that makes a sequence, such as a dependency's endpoint.

extension Reducer {
  /// Follows a sequence from a trigger action on; each element is the payload of a response action.
  ///
  /// ```swift
  /// Reduce { state, action in ... }
  ///   .subscribe(to: numberStore.value, on: \.task, with: \.newNumberReceived)
  /// ```
  /// This reducer handles the trigger first. The subscription ends with its sequence, with `until`, with the
  /// `StoreTask` of the trigger, and with the scope it is in. Idea: Oliver Foggin's swift-composable-subscriber.
  /// - Parameters:
  ///   - stream: Makes the sequence, each time the subscription starts, with the reducer's dependencies.
  ///   - trigger: The action that starts it.
  ///   - response: The action that carries an element.
  ///   - stop: The action that ends it.
  ///   - retrigger: What a second trigger does while it runs; by default it starts anew, never doubles.
  ///   - responses: Whether the effects of response actions end when the trigger's `StoreTask` is cancelled.
  ///     By default they go on.
  ///   - lifecycle: The action that carries the subscription's own events. Without it an error is a reported
  ///     issue.
  public func subscribe<Trigger, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Elements.Element>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribe(
      to: stream, on: trigger, with: response, until: stop, onRetrigger: retrigger, responses: responses,
      lifecycle: lifecycle, fileID: fileID, filePath: filePath, line: line, column: column
    ) { $0 }
  }

  /// Follows a sequence; each element, transformed, is the payload of a response action.
  public func subscribe<Trigger, Elements: AsyncSequence & SendableMetatype, Value>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Value>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    transform: @escaping @Sendable (Elements.Element) -> Value
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription(response, lifecycle, responses, site, transform: transform)
    return _SubscribeReducer(base: self, on: trigger, until: stop, retrigger, response, site) { _ in
      subscription.effect(reading: stream)
    }
  }

  /// Follows a sequence; each element is handled by an operation, which may send any number of actions.
  ///
  /// The next element is asked for when the operation has returned.
  public func subscribe<Trigger, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    until stop: PartialCaseKeyPath<Action>? = nil, onRetrigger retrigger: Retrigger = .restart,
    responses: SentEffects = .detached, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Elements.Element) async throws -> Void
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription(lifecycle, responses, site, deliver: operation)
    return _SubscribeReducer(base: self, on: trigger, until: stop, retrigger, nil, site) { _ in
      subscription.effect(reading: stream)
    }
  }
}
