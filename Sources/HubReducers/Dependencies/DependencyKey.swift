// Owns the protocols by which a type declares itself a dependency and provides a value for each context.

/// A dependency with values for tests and previews only, for a module that only declares an interface.
public protocol TestDependencyKey<Value> {
  associatedtype Value: Sendable = Self

  /// The value in previews and demonstrations; by default ``testValue``.
  static var previewValue: Value { get }

  /// The value in tests. It should report its use, unless there is a harmless value.
  static var testValue: Value { get }
}

/// A dependency with a value for the running program.
///
/// ```swift
/// extension NumberStore: DependencyKey {
///   static var liveValue: NumberStore { .inMemory(0) }
/// }
///
/// extension DependencyValues {
///   var numberStore: NumberStore {
///     get { self[NumberStore.self] }
///     set { self[NumberStore.self] = newValue }
///   }
/// }
/// ```
/// Each value is computed once per process (`live`) or once per test, then kept, so a computed property may make an
/// object.
public protocol DependencyKey<Value>: TestDependencyKey {
  /// The value in the running program.
  static var liveValue: Value { get }

  associatedtype Value = Self

  static var previewValue: Value { get }
  static var testValue: Value { get }
}

extension TestDependencyKey {
  public static var previewValue: Value { testValue }
}

extension DependencyKey {
  public static var previewValue: Value { liveValue }

  /// The preview's value. Its use in a test is reported, because a test that reaches a real dependency by accident
  /// proves nothing. Overriding only one of its members is not enough.
  public static var testValue: Value {
    MissingValue.note(
      """
      \(Self.self) has no testValue, and a test used it. Override it in the test \
      (withDependencies: { $0[\(Self.self).self] = ... }), or give \(Self.self) a testValue.
      """)
    return previewValue
  }
}
