// Owns `receive(on:with:)`: one request from a trigger action, one response action.

extension Reducer {
  /// Runs an operation once for a trigger action, and sends its result, success or failure, as a response action.
  ///
  /// ```swift
  /// .receive(on: \.task, with: \.profileLoaded) { try await api.profile() }
  /// ```
  /// This reducer handles the trigger first. A second trigger cancels the running operation and starts it again,
  /// unless changed with `onRetrigger(_:)`.
  /// Idea: m-housh's swift-composable-subscriber.
  public func receive<Trigger, Value: Sendable>(
    on trigger: CaseKeyPath<Action, Trigger>, with response: CaseKeyPath<Action, Result<Value, any Error>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, result: @escaping @Sendable @concurrent () async throws -> Value
  ) -> _SubscribeReducer<Self> {
    subscribed(
      to: { _ in Request(result) }, on: trigger, Handling(response),
      IssueSite(fileID, filePath, line, column), .attached)
  }

  /// The same for actions that conform to ``ReceiveAction``: the response is `.receive(.success(...))` with the
  /// case that `response` names, or `.receive(.failure(...))`.
  public func receive<Trigger, Value: Sendable>(
    on trigger: CaseKeyPath<Action, Trigger>, case response: CaseKeyPath<Action.Received, Value>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, result: @escaping @Sendable @concurrent () async throws -> Value
  ) -> _SubscribeReducer<Self> where Action: ReceiveAction {
    let path = AnyCasePath(response)
    return subscribed(
      to: { _ in Request(result) }, on: trigger,
      Handling(response: response) { Action.receive($0.map(path.embedValue)) },
      IssueSite(fileID, filePath, line, column), .attached)
  }
}

/// The result of an operation, as the only element of a source.
private struct Request<Value: Sendable>: SubscriptionSource {
  private let operation: @Sendable @concurrent () async throws -> Value

  init(_ operation: @escaping @Sendable @concurrent () async throws -> Value) { self.operation = operation }

  func follow(_ subscriber: Subscriber<Result<Value, any Error>>) async throws {
    try await subscriber.receive(await Result { try await operation() })
  }
}

extension Effect {
  /// Runs an operation once and sends its result, success or failure.
  public static func receive<Value: Sendable>(
    _ response: CaseKeyPath<Action, Result<Value, any Error>>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    operation: @escaping @Sendable @concurrent () async throws -> Value
  ) -> Self {
    let path = AnyCasePath(response)
    return .run(site: IssueSite(fileID, filePath, line, column)) { send in
      await send(path.embed(await Result { try await operation() }))
    }
  }
}
