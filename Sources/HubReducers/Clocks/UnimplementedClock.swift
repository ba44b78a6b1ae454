// Owns a clock that must not be used: for tests that prove that a feature does not wait.

/// A clock that reports an issue when it is used; its sleepers wake at once.
public struct UnimplementedClock: Clock {
  private let base = ImmediateClock()
  private let name: String

  /// - Parameter name: The clock's name in the report.
  public init(_ name: String = "the clock") { self.name = name }

  public var now: ImmediateClock.Instant {
    report("now")
    return base.now
  }

  public var minimumResolution: Duration {
    report("minimumResolution")
    return base.minimumResolution
  }

  public func sleep(until deadline: ImmediateClock.Instant, tolerance: Duration? = nil) async throws {
    report("sleep")
    try await base.sleep(until: deadline, tolerance: tolerance)
  }

  private func report(_ member: String) {
    reportIssueOfCaller(
      "Unimplemented: \(member) of \(name) was used, but the test says that nothing waits on it.")
  }
}
