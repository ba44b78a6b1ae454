// Owns the functions that apply changed dependencies: for an operation, or for the whole process.

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
