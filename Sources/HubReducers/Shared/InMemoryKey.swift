// Owns the key of values that live in this process.

/// A shared value that exists for as long as anything in the process shares it.
public struct InMemoryKey<Value: Sendable>: SharedKey {
  private let name: String

  init(_ name: String) { self.name = name }

  public static var livesInProcess: Bool { true }

  public func follow(_ report: @escaping @Sendable (SharedReport<Value>) async -> Void) async {}

  public func save(
    _ change: @escaping @Sendable (inout Value) -> Void, over known: SharedSnapshot<Value>,
    initial: Value
  ) async throws -> SharedSnapshot<Value> {
    preconditionFailure("a value in memory cannot be saved elsewhere")
  }
}

extension InMemoryKey: CustomStringConvertible {
  public var description: String { name.isEmpty ? "without a key" : ".inMemory(\"\(name)\")" }
}

extension SharedKey {
  /// `@Shared(.inMemory("count")) var count = 0`: one value for every use of the name in the process; in a test, for
  /// every use in the test.
  public static func inMemory<Value>(_ name: String) -> Self where Self == InMemoryKey<Value> {
    InMemoryKey(name)
  }
}
