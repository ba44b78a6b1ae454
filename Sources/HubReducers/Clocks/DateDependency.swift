// Owns the dependency for the current date.

public import FoundationEssentials

/// Returns the current date: `@Dependency(\.date.now) var now`, or `date()`.
public struct DateGenerator: Sendable {
  private let generate: @Sendable () -> Date
  private var fixed: Date?

  /// A source of dates that calls a function, from any thread.
  public init(_ generate: @escaping @Sendable () -> Date) { self.generate = generate }

  /// A source that always returns the same date.
  public static func constant(_ now: Date) -> Self { Self { now } }

  /// The current date. Setting it stops the clock at that date.
  public var now: Date {
    get { fixed ?? generate() }
    set { fixed = newValue }
  }

  /// The current date.
  public func callAsFunction() -> Date { now }
}

extension DependencyValues {
  /// Returns the current date, from the system. In a test, using it is an issue unless the test overrides it.
  public var date: DateGenerator {
    get { self[DateKey.self] }
    set { self[DateKey.self] = newValue }
  }
}

private enum DateKey: DependencyKey {
  static var liveValue: DateGenerator { DateGenerator { Date() } }
  static var testValue: DateGenerator {
    DateGenerator {
      Unimplemented.report("DependencyValues.date")
      return Date()
    }
  }
}
