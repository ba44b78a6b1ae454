// Owns the carrying of dependencies across a closure that runs later, outside the current task.

/// Passes `operation` a continuation that restores the current dependencies wherever it is used: a callback, a
/// `Task.detached`, a Dispatch queue.
///
/// Effects need none of this: they restore the dependencies they were made with by themselves.
public func withEscapedDependencies<R>(
  _ operation: (DependencyValues.Continuation) throws -> R
) rethrows -> R {
  try operation(DependencyValues.Continuation(values: .current))
}

extension DependencyValues {
  /// The dependencies at its creation, for use elsewhere.
  public struct Continuation: Sendable {
    let values: DependencyValues

    /// Runs `operation` with the remembered dependencies.
    @discardableResult
    public func yield<R>(_ operation: () throws -> R) rethrows -> R {
      try DependencyValues.$current.withValue(values, operation: operation)
    }

    /// Runs `operation` with the remembered dependencies, on the caller's isolation.
    @discardableResult
    public func yield<R>(
      isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> R
    ) async rethrows -> R {
      try await DependencyValues.$current.withValue(values, operation: operation, isolation: isolation)
    }
  }
}
