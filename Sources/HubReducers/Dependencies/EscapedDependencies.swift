// Carries dependencies across a closure that runs later, outside the current task.

/// Passes `operation` a continuation that restores the current dependencies wherever it is used: a callback, a
/// `Task.detached`, a Dispatch queue.
///
/// Effects do not need this: they restore their dependencies themselves.
public func withEscapedDependencies<R>(
  _ operation: (DependencyValues.Continuation) throws -> R
) rethrows -> R {
  try operation(DependencyValues.Continuation(values: .current))
}

extension DependencyValues {
  /// The dependencies at the time of its creation, for use elsewhere.
  public struct Continuation: Sendable {
    let values: DependencyValues

    /// Runs `operation` with those dependencies.
    @discardableResult
    public func yield<R>(_ operation: () throws -> R) rethrows -> R {
      try DependencyValues.$current.withValue(values, operation: operation)
    }

    /// Runs `operation` with those dependencies, on the caller's isolation.
    @discardableResult
    public func yield<R>(
      isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> R
    ) async rethrows -> R {
      try await DependencyValues.$current.withValue(values, operation: operation, isolation: isolation)
    }
  }
}
