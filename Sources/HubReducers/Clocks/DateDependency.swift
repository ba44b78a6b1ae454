// Owns the dependency through which features ask for the date.

public import FoundationEssentials

/// Makes the present date: `@Dependency(\.date.now) var now`, or `date()`.
public struct DateGenerator: Sendable {
  private let generate: @Sendable () -> Date
  private var fixed: Date?

  public init(_ generate: @escaping @Sendable () -> Date) { self.generate = generate }

  /// Always the same date.
  public static func constant(_ now: Date) -> Self { Self { now } }

  /// The present date. Setting it stops the time there.
  public var now: Date {
    get { fixed ?? generate() }
    set { fixed = newValue }
  }

  public func callAsFunction() -> Date { now }
}

extension DependencyValues {
  /// Makes the present date: the system's; in a test, an issue unless the test gives one.
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
