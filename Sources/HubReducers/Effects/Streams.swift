// Owns streams and waits that have no elements or no end, for dependencies in tests and previews.

extension AsyncStream where Element: Sendable {
  /// Has no elements and ends only with the task that reads it.
  public static var never: Self { Self { _ in } }

  /// Has ended.
  public static var finished: Self { Self { $0.finish() } }
}

extension AsyncThrowingStream where Element: Sendable, Failure == any Error {
  /// Has no elements and ends only with the task that reads it.
  public static var never: Self { Self { _ in } }

  /// Has ended.
  public static var finished: Self { finished() }

  /// Has ended, with an error if one is given.
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
  /// Waits until the task is cancelled, where there is no value to wait for: `try await Task.never()`.
  /// - Throws: `CancellationError`.
  public static func never() async throws {
    let _: Never = try await waitForCancellation()
  }
}

private func waitForCancellation<Value>() async throws -> Value {
  for await _ in AsyncStream<Never>.never {}
  throw CancellationError()
}
