// Owns `receive(on:with:)`: one request from a trigger action, one response action.

extension Reducer {
  /// Runs an operation once for a trigger action, and sends its result, good or bad, as a response action.
  ///
  /// ```swift
  /// .receive(on: \.task, with: \.profileLoaded) { try await api.profile() }
  /// ```
  /// This reducer handles the trigger first. By default a second trigger cancels the running operation and starts it again.
  /// Idea: m-housh's swift-composable-subscriber.
  public func receive<Trigger, Value: Sendable>(
    on trigger: CaseKeyPath<Action, Trigger>, with response: CaseKeyPath<Action, Result<Value, any Error>>,
    onRetrigger retrigger: Retrigger = .restart, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    result: @escaping @Sendable @concurrent () async throws -> Value
  ) -> _SubscribeReducer<Self> {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let effect = Effect.receive(response, site, operation: result)
    return received(on: trigger, retrigger, SubscriptionID(site: site, response: response), effect)
  }

  /// The same for actions that conform to ``ReceiveAction``: the response is `.receive(.success(...))` with the
  /// case that `response` names, or `.receive(.failure(...))`.
  public func receive<Trigger, Value: Sendable>(
    on trigger: CaseKeyPath<Action, Trigger>, case response: CaseKeyPath<Action.Received, Value>,
    onRetrigger retrigger: Retrigger = .restart, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    result: @escaping @Sendable @concurrent () async throws -> Value
  ) -> _SubscribeReducer<Self> where Action: ReceiveAction {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let path = AnyCasePath(response)
    let effect = Effect.request(site, result) { Action.receive($0.map(path.embedValue)) }
    return received(on: trigger, retrigger, SubscriptionID(site: site, response: response), effect)
  }
}

extension Reducer {
  fileprivate func received<Payload>(
    on trigger: CaseKeyPath<Action, Payload>, _ retrigger: Retrigger, _ id: SubscriptionID,
    _ effect: Effect<Action>
  ) -> _SubscribeReducer<Self> {
    _SubscribeReducer(base: self, trigger: Trigger(trigger, retrigger, id) { _ in effect })
  }
}

extension Effect {
  /// Runs an operation once and sends its result, good or bad.
  public static func receive<Value: Sendable>(
    _ response: CaseKeyPath<Action, Result<Value, any Error>>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    operation: @escaping @Sendable @concurrent () async throws -> Value
  ) -> Self {
    receive(
      response, IssueSite(fileID: fileID, filePath: filePath, line: line, column: column),
      operation: operation)
  }

  static func receive<Value: Sendable>(
    _ response: CaseKeyPath<Action, Result<Value, any Error>>, _ site: IssueSite,
    operation: @escaping @Sendable @concurrent () async throws -> Value
  ) -> Self {
    request(site, operation, AnyCasePath(response).embedValue)
  }

  fileprivate static func request<Value: Sendable>(
    _ site: IssueSite, _ operation: @escaping @Sendable @concurrent () async throws -> Value,
    _ embed: @escaping @Sendable (Result<Value, any Error>) -> Action
  ) -> Self {
    .run(site: site) { send in
      do {
        await send(embed(.success(try await operation())))
      } catch {
        // A cancelled request has no receiver; what it sends is dropped.
        await send(embed(.failure(error)))
      }
    }
  }
}
