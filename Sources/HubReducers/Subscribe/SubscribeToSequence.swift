// Owns `subscribe(to:on:)` for functions that make a sequence, such as a dependency's endpoint, and for sequences.

extension Reducer {
  /// Follows the sequence that a function makes, each time the subscription starts, with the reducer's dependencies.
  ///
  /// ```swift
  /// Reduce { state, action in ... }
  ///   .subscribe(to: numberStore.value, on: \.task, with: \.newNumberReceived)
  /// ```
  public func subscribe<Trigger, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Elements.Element>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribed(
      to: Source(stream), on: trigger, until: stop, retrigger,
      Handling(response, lifecycle, responses, IssueSite(fileID, filePath, line, column)) { $0 })
  }

  /// Follows the sequence that a function makes; each element, transformed, is the payload of a response action.
  public func subscribe<Trigger, Elements: AsyncSequence & SendableMetatype, Payload>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    transform: @escaping @Sendable (Elements.Element) -> Payload
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribed(
      to: Source(stream), on: trigger, until: stop, retrigger,
      Handling(response, lifecycle, responses, IssueSite(fileID, filePath, line, column), transform))
  }

  /// Follows the sequence that a function makes; each element is handled by an operation.
  public func subscribe<Trigger, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    until stop: PartialCaseKeyPath<Action>? = nil, onRetrigger retrigger: Retrigger = .restart,
    responses: SentEffects = .detached, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Elements.Element) async throws -> Void
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribed(
      to: Source(stream), on: trigger, until: stop, retrigger,
      Handling(lifecycle, responses, IssueSite(fileID, filePath, line, column), operation))
  }

  /// Follows a sequence made from a part of the state, as it is once this reducer has handled the trigger.
  ///
  /// ```swift
  /// .subscribe(to: chat.messages, using: \.roomID, on: \.task, with: \.messageReceived)
  /// ```
  /// The argument does not follow later changes; for that, use `subscribe(to:while:with:)`.
  public func subscribe<Trigger, Argument: Sendable, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable (Argument) async throws -> Elements,
    using toArgument: @escaping (State) -> Argument, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Elements.Element>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribed(
      to: Source(stream, using: toArgument), on: trigger, until: stop, retrigger,
      Handling(response, lifecycle, responses, IssueSite(fileID, filePath, line, column)) { $0 })
  }

  /// Follows a sequence made from a part of the state; each element, transformed, is the payload of a response.
  public func subscribe<Trigger, Argument: Sendable, Elements: AsyncSequence & SendableMetatype, Payload>(
    to stream: @escaping @Sendable (Argument) async throws -> Elements,
    using toArgument: @escaping (State) -> Argument, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    transform: @escaping @Sendable (Elements.Element) -> Payload
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribed(
      to: Source(stream, using: toArgument), on: trigger, until: stop, retrigger,
      Handling(response, lifecycle, responses, IssueSite(fileID, filePath, line, column), transform))
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
    subscribed(
      to: Source(stream, using: toArgument), on: trigger, until: stop, retrigger,
      Handling(lifecycle, responses, IssueSite(fileID, filePath, line, column), operation))
  }

  /// Follows a sequence that is there already.
  ///
  /// A second trigger reads the same sequence again, so it must be one that can be: an `AsyncStream` has only
  /// one reader and one life. Where in doubt, subscribe to a function that makes the sequence.
  public func subscribe<Trigger, Elements: AsyncSequence & Sendable>(
    to elements: Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Elements.Element>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribed(
      to: Source { elements }, on: trigger, until: stop, retrigger,
      Handling(response, lifecycle, responses, IssueSite(fileID, filePath, line, column)) { $0 })
  }

  /// Follows a sequence that is there already; each element, transformed, is the payload of a response action.
  public func subscribe<Trigger, Elements: AsyncSequence & Sendable, Payload>(
    to elements: Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    transform: @escaping @Sendable (Elements.Element) -> Payload
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribed(
      to: Source { elements }, on: trigger, until: stop, retrigger,
      Handling(response, lifecycle, responses, IssueSite(fileID, filePath, line, column), transform))
  }

  /// Follows a sequence that is there already; each element is handled by an operation.
  public func subscribe<Trigger, Elements: AsyncSequence & Sendable>(
    to elements: Elements, on trigger: CaseKeyPath<Action, Trigger>,
    until stop: PartialCaseKeyPath<Action>? = nil, onRetrigger retrigger: Retrigger = .restart,
    responses: SentEffects = .detached, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Elements.Element) async throws -> Void
  ) -> _SubscribeReducer<Self> where Elements.Element: Sendable {
    subscribed(
      to: Source { elements }, on: trigger, until: stop, retrigger,
      Handling(lifecycle, responses, IssueSite(fileID, filePath, line, column), operation))
  }
}
