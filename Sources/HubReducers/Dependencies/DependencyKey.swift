// Owns the protocols by which a type declares itself a dependency, and the contexts for which it provides a value.

import HubSystem

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

/// Selects a dependency's default value where it is not overridden.
public enum DependencyContext: String, Sendable, CaseIterable {
  case live
  case preview
  case test
}

extension DependencyContext {
  /// `STATEHUB_DEPENDENCY_CONTEXT` (live, preview, test) if set; else `test` in a test run; else `live`.
  static let detected: DependencyContext = {
    if let named = Environment["STATEHUB_DEPENDENCY_CONTEXT"],
      let context = DependencyContext(rawValue: named)
    {
      return context
    }
    return isTesting(CurrentProcess.arguments.map { String(decoding: $0, as: UTF8.self) }) ? .test : .live
  }()

  /// SwiftPM runs tests as `PackageTests.xctest` or through a helper that gets `--testing-library`.
  package static func isTesting(_ arguments: [String]) -> Bool {
    arguments.first?.hasSuffix(".xctest") == true
      || arguments.contains { $0.hasPrefix("--testing-library") || $0.hasSuffix("swiftpm-testing-helper") }
  }
}
