// Owns `subscribe(to:on:)`: subscriptions that an action starts. Three forms take any source, four the sequence that a
// function makes.

extension Reducer {
  /// Follows a source, starting with a trigger action; each element is the payload of a response action.
  ///
  /// ```swift
  /// @Dependency(\.hub) var hub
  ///
  /// Reduce { state, action in ... }
  ///   .subscribe(to: hub.value("number", of: Int.self), on: \.task, with: \.newNumberReceived)
  /// ```
  /// For a store of the hub, the current value comes first, if there is one. The subscription survives restarts of the
  /// hub, and values that cannot be read as a `Value`. It does not report removals; subscribe to `{
  /// hub.value(...).events }` for those. All subscriptions of a process to one store share a watch.
  ///
  /// This reducer handles the trigger first. The subscription ends with its source, with the action given to
  /// `until(_:)`, with the `StoreTask` of the trigger, or with its scope. One line may make several subscriptions, in
  /// a loop or in your own function: each runs independently. <doc:Subscribing> shows all forms together.
  /// Ideas: Oliver Foggin's and m-housh's swift-composable-subscriber.
  /// - Parameters:
  ///   - source: What to follow.
  ///   - trigger: The action that starts it.
  ///   - response: The action that carries an element.
  public func subscribe<Trigger, Source: SubscriptionSource>(
    to source: Source, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Source.Element>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> {
    subscribed(
      to: { _ in source }, on: trigger, Handling(response), IssueSite(fileID, filePath, line, column))
  }

  /// Follows a source; each element is handled by an operation, which may send any number of actions.
  ///
  /// The next element is requested when the operation has returned.
  public func subscribe<Trigger, Source: SubscriptionSource>(
    to source: Source, on trigger: CaseKeyPath<Action, Trigger>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Source.Element) async throws -> Void
  ) -> _SubscribeReducer<Self> {
    subscribed(
      to: { _ in source }, on: trigger, Handling(operation), IssueSite(fileID, filePath, line, column))
  }

  /// Follows the source that a part of the state determines, taken after this reducer has handled the trigger.
  ///
  /// ```swift
  /// .subscribe(to: { hub.value("room.\($0)", of: Int.self) }, using: \.roomID, on: \.task, with: \.countChanged)
  /// ```
  /// Later changes of that part have no effect; use `subscribe(to:while:with:)` to follow them.
  public func subscribe<Trigger, Argument: Sendable, Source: SubscriptionSource>(
    to source: @escaping @Sendable (Argument) -> Source, using toArgument: @escaping (State) -> Argument,
    on trigger: CaseKeyPath<Action, Trigger>, with response: CaseKeyPath<Action, Source.Element>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> _SubscribeReducer<Self> {
    subscribed(
      to: { source(toArgument($0)) }, on: trigger, Handling(response),
      IssueSite(fileID, filePath, line, column))
  }

  /// Follows the sequence that a function makes, each time the subscription starts, with the reducer's dependencies.
  ///
  /// ```swift
  /// Reduce { state, action in ... }
  ///   .subscribe(to: numberStore.value, on: \.task, with: \.newNumberReceived)
  /// ```
  public func subscribe<Trigger, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Elements.Element>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribe(
      to: SequenceSource(stream), on: trigger, with: response, fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  /// Follows the sequence that a function makes; each element, transformed, is the payload of a response action.
  public func subscribe<Trigger, Elements: AsyncSequence & SendableMetatype, Payload>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    transform: @escaping @Sendable (Elements.Element) -> Payload
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribed(
      to: { _ in SequenceSource(stream) }, on: trigger, Handling(response, transform),
      IssueSite(fileID, filePath, line, column))
  }

  /// Follows the sequence that a function makes; each element is handled by an operation.
  public func subscribe<Trigger, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Elements.Element) async throws -> Void
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribe(
      to: SequenceSource(stream), on: trigger, fileID: fileID, filePath: filePath, line: line, column: column,
      operation: operation)
  }

  /// Follows a sequence made from a part of the state, taken after this reducer has handled the trigger.
  ///
  /// ```swift
  /// .subscribe(to: chat.messages, using: \.roomID, on: \.task, with: \.messageReceived)
  /// ```
  public func subscribe<Trigger, Argument: Sendable, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable (Argument) async throws -> Elements,
    using toArgument: @escaping (State) -> Argument, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Elements.Element>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribe(
      to: { argument in SequenceSource { try await stream(argument) } }, using: toArgument, on: trigger,
      with: response, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
