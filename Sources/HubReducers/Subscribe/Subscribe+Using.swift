// Owns `subscribe(to:using:on:)`: a sequence that depends on the state at the moment of the trigger.

extension Reducer {
  /// Follows a sequence made from a part of the state, as it is once this reducer has handled the trigger.
  ///
  /// ```swift
  /// .subscribe(to: chat.messages, using: \.roomID, on: \.task, with: \.messageReceived)
  /// ```
  /// The argument does not follow later changes; for that, use `subscribe(to:while:with:)`. Idea:
  /// m-housh's swift-composable-subscriber.
  /// - Parameters:
  ///   - stream: Makes the sequence from the argument.
  ///   - toArgument: The argument in the state.
  ///   - trigger: The action that starts it.
  ///   - response: The action that carries an element.
  ///   - stop: The action that ends it.
  ///   - retrigger: What a second trigger does while it runs.
  ///   - responses: Whether the effects of response actions end with the trigger's `StoreTask`.
  ///   - lifecycle: The action that carries the subscription's own events.
  public func subscribe<Trigger, Argument: Sendable, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable (Argument) async throws -> Elements,
    using toArgument: @escaping (State) -> Argument, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Elements.Element>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribe(
      to: stream, using: toArgument, on: trigger, with: response, until: stop, onRetrigger: retrigger,
      responses: responses, lifecycle: lifecycle, fileID: fileID, filePath: filePath, line: line,
      column: column
    ) { $0 }
  }

  /// Follows a sequence made from a part of the state; each element, transformed, is the payload of a response.
  public func subscribe<Trigger, Argument: Sendable, Elements: AsyncSequence & SendableMetatype, Value>(
    to stream: @escaping @Sendable (Argument) async throws -> Elements,
    using toArgument: @escaping (State) -> Argument, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Value>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    transform: @escaping @Sendable (Elements.Element) -> Value
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription(response, lifecycle, responses, site, transform: transform)
    return _SubscribeReducer(base: self, on: trigger, until: stop, retrigger, response, site) { state in
      let argument = toArgument(state)
      return subscription.effect { try await stream(argument) }
    }
  }

  /// Follows a sequence made from a part of the state; each element is handled by an operation.
  public func subscribe<Trigger, Argument: Sendable, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable (Argument) async throws -> Elements,
    using toArgument: @escaping (State) -> Argument, on trigger: CaseKeyPath<Action, Trigger>,
    until stop: PartialCaseKeyPath<Action>? = nil, onRetrigger retrigger: Retrigger = .restart,
    responses: SentEffects = .detached, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Elements.Element) async throws -> Void
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription(lifecycle, responses, site, deliver: operation)
    return _SubscribeReducer(base: self, on: trigger, until: stop, retrigger, nil, site) { state in
      let argument = toArgument(state)
      return subscription.effect { try await stream(argument) }
    }
  }
}
