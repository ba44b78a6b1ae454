// Owns `subscribe(to:on:)`: subscriptions that an action starts. Three forms take any source, four the sequence that a
// function makes.

extension Reducer {
  /// Follows a source from a trigger action on; each element is the payload of a response action.
  ///
  /// ```swift
  /// @Dependency(\.hub) var hub
  ///
  /// Reduce { state, action in ... }
  ///   .subscribe(to: hub.value("number", of: Int.self), on: \.task, with: \.newNumberReceived)
  /// ```
  /// Of a store of the hub the current value comes first, if there is one. The subscription outlives the hub's restarts, and
  /// a value that cannot be read as a `Value`; removals are not reported (subscribe to `{ hub.value(...).events }` for
  /// those). Subscriptions to one store share one watch of the process.
  ///
  /// This reducer handles the trigger first. The subscription ends with what it follows, with the action given to
  /// `until(_:)`, with the `StoreTask` of the trigger, and with the scope it is in. One line may make
  /// several, in a loop or in a function of your own: each runs by itself. <doc:Subscribing> shows all forms together.
  /// Ideas: Oliver Foggin's and m-housh's swift-composable-subscriber.
  /// - Parameters:
  ///   - source: What is followed.
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
  /// The next element is asked for when the operation has returned.
  public func subscribe<Trigger, Source: SubscriptionSource>(
    to source: Source, on trigger: CaseKeyPath<Action, Trigger>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Source.Element) async throws -> Void
  ) -> _SubscribeReducer<Self> {
    subscribed(
      to: { _ in source }, on: trigger, Handling(operation), IssueSite(fileID, filePath, line, column))
  }

  /// Follows the source that a part of the state names, as it is once this reducer has handled the trigger.
  ///
  /// ```swift
  /// .subscribe(to: { hub.value("room.\($0)", of: Int.self) }, using: \.roomID, on: \.task, with: \.countChanged)
  /// ```
  /// The argument does not follow later changes; for that, use `subscribe(to:while:with:)`.
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

  /// Follows a sequence made from a part of the state, as it is once this reducer has handled the trigger.
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
