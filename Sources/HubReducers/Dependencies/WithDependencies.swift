// Owns the functions that apply changed dependencies: for an operation, for the whole process, or later, outside the
// current task.

/// Runs `operation` with changed dependencies. Tasks that it starts inherit them.
@discardableResult
public func withDependencies<R>(
  _ update: (inout DependencyValues) throws -> Void, operation: () throws -> R
) rethrows -> R {
  var values = DependencyValues.current
  try update(&values)
  return try DependencyValues.$current.withValue(values.used(by: nil), operation: operation)
}

/// Runs `operation` with changed dependencies, on the caller's isolation.
@discardableResult
public func withDependencies<R>(
  isolation: isolated (any Actor)? = #isolation, _ update: (inout DependencyValues) async throws -> Void,
  operation: () async throws -> R
) async rethrows -> R {
  var values = DependencyValues.current
  try await update(&values)
  return try await DependencyValues.$current.withValue(
    values.used(by: nil), operation: operation, isolation: isolation)
}

/// Sets the process's dependencies, in every context, before their first use: call it at the start of `main`.
///
/// Code that has already read and kept a dependency keeps the old value; later readers get the new one.
public func prepareDependencies(_ update: (inout DependencyValues) throws -> Void) rethrows {
  var values = DependencyValues()
  try update(&values)
  values.seedProcessDefaults()
}

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
