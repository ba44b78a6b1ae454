// Owns a test's own dependencies for everything that is not a test store: a plain store, a model, a function.

public import HubReducers

/// Runs `operation` with dependencies that no other test shares, with overrides.
///
/// Under Swift Testing the trait `.dependencies` does the same for a test or a suite; under XCTest, override
/// `invokeTest` to call it, as <doc:Writing-Tests> shows. Test stores need neither.
@discardableResult
public func withTestDependencies<R>(
  _ update: (inout DependencyValues) -> Void = { _ in }, operation: () throws -> R
) rethrows -> R {
  try withDependencies {
    $0 = $0.isolatedForTest()
    update(&$0)
  } operation: {
    try operation()
  }
}

/// Runs `operation` with dependencies that no other test shares, with overrides, on the caller's isolation.
@discardableResult
public func withTestDependencies<R>(
  isolation: isolated (any Actor)? = #isolation, _ update: (inout DependencyValues) -> Void = { _ in },
  operation: () async throws -> R
) async rethrows -> R {
  try await withDependencies {
    $0 = $0.isolatedForTest()
    update(&$0)
  } operation: {
    try await operation()
  }
}
