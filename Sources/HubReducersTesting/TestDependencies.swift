// Owns a test's own dependencies: for an operation, and as a trait.

public import HubReducers
public import Testing

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

/// Gives a test, or each test of a suite, dependencies that no other test shares, with overrides.
public struct DependenciesTrait: TestTrait, SuiteTrait, TestScoping {
  private let update: @Sendable (inout DependencyValues) -> Void

  fileprivate init(_ update: @escaping @Sendable (inout DependencyValues) -> Void) { self.update = update }

  /// Each test of a suite gets its own dependencies.
  public var isRecursive: Bool { true }

  /// Runs a test with its own dependencies.
  @concurrent
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    // A suite as a whole needs none: each of its tests gets its own.
    guard testCase != nil else { return try await function() }
    try await withTestDependencies(update) { try await function() }
  }
}

extension Trait where Self == DependenciesTrait {
  /// `@Suite(.dependencies)`: each test has its own dependencies, without overrides.
  public static var dependencies: Self { DependenciesTrait { _ in } }

  /// `@Test(.dependencies { $0.numberStore = .inMemory(5) })`
  public static func dependencies(
    _ update: @escaping @Sendable (inout DependencyValues) -> Void = { _ in }
  ) -> Self {
    DependenciesTrait(update)
  }

  /// `@Test(.dependency(\.numberStore, .inMemory(5)))`; each test gets its own value.
  public static func dependency<Value: Sendable>(
    _ keyPath: any WritableKeyPath<DependencyValues, Value> & Sendable,
    _ value: @autoclosure @escaping @Sendable () -> Value
  ) -> Self {
    DependenciesTrait { $0[keyPath: keyPath] = value() }
  }

  /// `@Test(.dependency(FactClient(fetch: { "\($0) is good" })))`, for a dependency that is its own key; each test gets its own value.
  public static func dependency<Value: TestDependencyKey>(
    _ value: @autoclosure @escaping @Sendable () -> Value
  ) -> Self where Value.Value == Value {
    DependenciesTrait { $0[Value.self] = value() }
  }
}
