// Owns the result of a failable operation as an action's payload: Equatable although errors are not.

/// A value or an error. Two are equal if their values, or their comparable errors, are equal.
///
/// New code should use `Result` with its own error type. Idea: The Composable Architecture's type with the same name.
@CasePathable
public enum TaskResult<Success: Sendable>: Sendable {
  case success(Success)
  case failure(any Error)

  /// The operation's result.
  public init(
    isolation: isolated (any Actor)? = #isolation, catching operation: () async throws -> Success
  ) async {
    self.init(await Result(isolation: isolation, catching: operation))
  }

  /// The same value or error.
  public init(_ result: Result<Success, some Error>) {
    switch result {
    case .success(let value): self = .success(value)
    case .failure(let error): self = .failure(error)
    }
  }

  /// The value.
  /// - Throws: The error, if there is one instead.
  public var value: Success {
    get throws {
      switch self {
      case .success(let value): value
      case .failure(let error): throw error
      }
    }
  }

  /// The result with its value transformed; an error is unchanged.
  public func map<NewSuccess>(_ transform: (Success) -> NewSuccess) -> TaskResult<NewSuccess> {
    TaskResult<NewSuccess>(Result(self).map(transform))
  }

  /// The result of applying a function to the value; an error is unchanged.
  public func flatMap<NewSuccess>(
    _ transform: (Success) -> TaskResult<NewSuccess>
  ) -> TaskResult<NewSuccess> {
    switch self {
    case .success(let value): transform(value)
    case .failure(let error): .failure(error)
    }
  }
}

extension Result where Success: Sendable, Failure == any Error {
  /// The same value or error.
  public init(_ result: TaskResult<Success>) { self = Result { try result.value } }
}

extension Result where Failure == any Error {
  /// Captures what an asynchronous operation returns or throws: `await send(.loaded(Result { try await api.load()
  /// }))`.
  public init(
    isolation: isolated (any Actor)? = #isolation, catching operation: () async throws -> Success
  ) async {
    do {
      self = .success(try await operation())
    } catch {
      self = .failure(error)
    }
  }
}

extension TaskResult: Equatable where Success: Equatable {
  /// Errors are equal if they have the same Equatable type and are equal; other errors never are.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.success(let lhs), .success(let rhs)): lhs == rhs
    case (.failure(let lhs), .failure(let rhs)): isKnownEqual(lhs, rhs)
    default: false
    }
  }
}

extension TaskResult: Hashable where Success: Hashable {
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .success(let value): hasher.combine(value)
    case .failure(let error):
      hasher.combine(1)
      (error as? any Hashable)?.hash(into: &hasher)
    }
  }
}
