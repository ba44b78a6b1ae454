// Owns `subscribe(to:on:)` for a sequence that is already there.

extension Reducer {
  /// Follows a sequence from a trigger action on; each element is the payload of a response action.
  ///
  /// A second trigger reads the same sequence again, so it must be one that can be: an `AsyncStream` has only
  /// one reader and one life. Where in doubt, subscribe to a function that makes the sequence.
  /// - Parameters:
  ///   - elements: The sequence.
  ///   - trigger: The action that starts it.
  ///   - response: The action that carries an element.
  ///   - stop: The action that ends it.
  ///   - retrigger: What a second trigger does while it runs.
  ///   - responses: Whether the effects of response actions end with the trigger's `StoreTask`.
  ///   - lifecycle: The action that carries the subscription's own events.
  public func subscribe<Trigger, Elements: AsyncSequence & Sendable>(
    to elements: Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Elements.Element>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribe(
      to: { elements }, on: trigger, with: response, until: stop, onRetrigger: retrigger,
      responses: responses, lifecycle: lifecycle, fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  /// Follows a sequence; each element, transformed, is the payload of a response action.
  public func subscribe<Trigger, Elements: AsyncSequence & Sendable, Value>(
    to elements: Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Value>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    transform: @escaping @Sendable (Elements.Element) -> Value
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribe(
      to: { elements }, on: trigger, with: response, until: stop, onRetrigger: retrigger,
      responses: responses, lifecycle: lifecycle, fileID: fileID, filePath: filePath, line: line,
      column: column, transform: transform)
  }

  /// Follows a sequence; each element is handled by an operation, which may send any number of actions.
  public func subscribe<Trigger, Elements: AsyncSequence & Sendable>(
    to elements: Elements, on trigger: CaseKeyPath<Action, Trigger>,
    until stop: PartialCaseKeyPath<Action>? = nil, onRetrigger retrigger: Retrigger = .restart,
    responses: SentEffects = .detached, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Elements.Element) async throws -> Void
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribe(
      to: { elements }, on: trigger, until: stop, onRetrigger: retrigger, responses: responses,
      lifecycle: lifecycle, fileID: fileID, filePath: filePath, line: line, column: column,
      operation: operation)
  }
}
