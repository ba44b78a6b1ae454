// Owns streams and waits that have no elements or no end, for dependencies in tests and previews.

extension AsyncStream where Element: Sendable {
  /// A stream without elements, which ends only when the reading task does.
  public static var never: Self { Self { _ in } }

  /// Has ended.
  public static var finished: Self { Self { $0.finish() } }
}

extension AsyncThrowingStream where Element: Sendable, Failure == any Error {
  /// A stream without elements, which ends only when the reading task does.
  public static var never: Self { Self { _ in } }

  /// Has ended.
  public static var finished: Self { finished() }

  /// A finished stream, with an error if one is given.
  public static func finished(throwing error: (any Error)? = nil) -> Self {
    Self { $0.finish(throwing: error) }
  }
}

extension Task where Failure == Never {
  /// Waits until the task is cancelled.
  /// - Throws: `CancellationError`.
  public static func never() async throws -> Success {
    try await waitForCancellation()
  }
}

extension Task<Never, Never> {
  /// Waits until the task is cancelled, without a value to wait for: `try await Task.never()`.
  /// - Throws: `CancellationError`.
  public static func never() async throws {
    let _: Never = try await waitForCancellation()
  }
}

private func waitForCancellation<Value>() async throws -> Value {
  for await _ in AsyncStream<Never>.never {}
  throw CancellationError()
}
