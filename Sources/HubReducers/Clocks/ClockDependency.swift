// Owns the dependency through which effects wait.

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
      a test used the system's clock. Give it one of its own: \
      withDependencies: { $0.continuousClock = TestClock() }, or ImmediateClock().
      """)
    return liveValue
  }
}
