// Owns `subscribe(to:while:)`: subscriptions that follow from the state instead of from actions.

extension Reducer {
  /// Follows a store of the hub exactly while a condition on the state holds.
  ///
  /// ```swift
  /// .subscribe(to: hub.value("audio.volume", of: Double.self), while: \.isOpen, with: \.volumeChanged)
  /// ```
  /// After every action of the store, and for its first state, what runs is made to agree with what the state
  /// asks for, whoever changed it. What ends by itself is followed again once the condition was false in between.
  /// Idea: Elm's subscriptions.
  public func subscribe<Value: Sendable>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(),
    while condition: @escaping (State) -> Bool, with response: CaseKeyPath<Action, Value>,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeWhileReducer<Self, Bool> {
    subscribed(
      to: Source(value, policy), while: condition,
      Handling(response, lifecycle, .detached, IssueSite(fileID, filePath, line, column)) { $0 })
  }

  /// Follows a store of the hub while a condition holds; each value, transformed, is the payload of a response.
  public func subscribe<Value: Sendable, Payload>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(),
    while condition: @escaping (State) -> Bool, with response: CaseKeyPath<Action, Payload>,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    transform: @escaping @Sendable (Value) -> Payload
  ) -> _SubscribeWhileReducer<Self, Bool> {
    subscribed(
      to: Source(value, policy), while: condition,
      Handling(response, lifecycle, .detached, IssueSite(fileID, filePath, line, column), transform))
  }

  /// Follows a store of the hub while a condition holds; each value is handled by an operation.
  public func subscribe<Value: Sendable>(
    to value: SharedValue<Value>, policy: StreamPolicy = .latest(),
    while condition: @escaping (State) -> Bool, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Value) async throws -> Void
  ) -> _SubscribeWhileReducer<Self, Bool> {
    subscribed(
      to: Source(value, policy), while: condition,
      Handling(lifecycle, .detached, IssueSite(fileID, filePath, line, column), operation))
  }

  /// Follows the store that a part of the state names, exactly while there is one, and another when it changes.
  public func subscribe<Argument: Hashable & Sendable, Value: Sendable>(
    to value: @escaping @Sendable (Argument) -> SharedValue<Value>, policy: StreamPolicy = .latest(),
    while argument: @escaping (State) -> Argument?, with response: CaseKeyPath<Action, Value>,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeWhileReducer<Self, Argument> {
    subscribed(
      to: Source(value, policy, using: { $0 }), while: argument,
      Handling(response, lifecycle, .detached, IssueSite(fileID, filePath, line, column)) { $0 })
  }

  /// Follows the sequence that a function makes exactly while a condition on the state holds.
  ///
  /// ```swift
  /// .subscribe(to: location.updates, while: \.isTracking, with: \.moved)
  /// ```
  public func subscribe<Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable () async throws -> Elements, while condition: @escaping (State) -> Bool,
    with response: CaseKeyPath<Action, Elements.Element>,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeWhileReducer<Self, Bool> where Elements.Element: Sendable {
    subscribed(
      to: Source(stream), while: condition,
      Handling(response, lifecycle, .detached, IssueSite(fileID, filePath, line, column)) { $0 })
  }

  /// Follows a sequence while a condition holds; each element, transformed, is the payload of a response.
  public func subscribe<Elements: AsyncSequence & SendableMetatype, Payload>(
    to stream: @escaping @Sendable () async throws -> Elements, while condition: @escaping (State) -> Bool,
    with response: CaseKeyPath<Action, Payload>, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, transform: @escaping @Sendable (Elements.Element) -> Payload
  ) -> _SubscribeWhileReducer<Self, Bool> where Elements.Element: Sendable {
    subscribed(
      to: Source(stream), while: condition,
      Handling(response, lifecycle, .detached, IssueSite(fileID, filePath, line, column), transform))
  }

  /// Follows a sequence while a condition holds; each element is handled by an operation.
  public func subscribe<Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable () async throws -> Elements, while condition: @escaping (State) -> Bool,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Elements.Element) async throws -> Void
  ) -> _SubscribeWhileReducer<Self, Bool> where Elements.Element: Sendable {
    subscribed(
      to: Source(stream), while: condition,
      Handling(lifecycle, .detached, IssueSite(fileID, filePath, line, column), operation))
  }

  /// Follows a sequence made from a part of the state exactly while there is one, and anew when it changes.
  ///
  /// ```swift
  /// .subscribe(to: chat.messages, while: \.openRoomID, with: \.messageReceived)
  /// ```
  public func subscribe<Argument: Hashable & Sendable, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable (Argument) async throws -> Elements,
    while argument: @escaping (State) -> Argument?, with response: CaseKeyPath<Action, Elements.Element>,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeWhileReducer<Self, Argument> where Elements.Element: Sendable {
    subscribed(
      to: Source(stream, using: { $0 }), while: argument,
      Handling(response, lifecycle, .detached, IssueSite(fileID, filePath, line, column)) { $0 })
  }
}
