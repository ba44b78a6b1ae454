// Owns the dependencies for time: the current date, the clock through which effects wait, and the calendar, locale and
// time zone of the user.

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
  /// Returns the current date, from the system. In a test, using it without overriding it is reported as an issue.
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

extension DependencyValues {
  /// The clock that effects sleep on: the system's, or a test's.
  public var continuousClock: any Clock<Duration> {
    get { self[ContinuousClockKey.self] }
    set { self[ContinuousClockKey.self] = newValue }
  }
}

private enum ContinuousClockKey: DependencyKey {
  static var liveValue: any Clock<Duration> { ContinuousClock() }
  static var testValue: any Clock<Duration> {
    MissingValue.note(
      """
      a test used the system's clock. Give it its own clock: \
      withDependencies: { $0.continuousClock = TestClock() }, or ImmediateClock().
      """)
    return liveValue
  }
}

extension DependencyValues {
  /// The user's calendar. In a test, using it without overriding it is reported as an issue.
  public var calendar: Calendar {
    get { self[CalendarKey.self] }
    set { self[CalendarKey.self] = newValue }
  }

  /// The user's locale. In a test, using it without overriding it is reported as an issue.
  public var locale: Locale {
    get { self[LocaleKey.self] }
    set { self[LocaleKey.self] = newValue }
  }

  /// The user's time zone. In a test, using it without overriding it is reported as an issue.
  public var timeZone: TimeZone {
    get { self[TimeZoneKey.self] }
    set { self[TimeZoneKey.self] = newValue }
  }
}

private enum CalendarKey: DependencyKey {
  static var liveValue: Calendar { .autoupdatingCurrent }
}

private enum LocaleKey: DependencyKey {
  static var liveValue: Locale { .autoupdatingCurrent }
}

private enum TimeZoneKey: DependencyKey {
  static var liveValue: TimeZone { .autoupdatingCurrent }
}
