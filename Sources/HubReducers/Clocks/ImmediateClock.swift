// Owns the clocks for previews and for tests that are not about time: one that never waits, and one that must not be used.

import Synchronization

/// A clock whose sleepers wake immediately, at their deadline.
///
/// A timer on it ticks forever, as fast as its reader reads. Idea: Point-Free's swift-clocks.
public final class ImmediateClock: Clock, Sendable {
  /// A point in the clock's time.
  public struct Instant: InstantProtocol {
    let offset: Duration

    /// The instant this long after the start.
    public init(offset: Duration = .zero) { self.offset = offset }

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private let current: Mutex<Instant>

  /// A clock that starts at `now`.
  public init(now: Instant = Instant()) { current = Mutex(now) }

  public var now: Instant { current.withLock { $0 } }
  public var minimumResolution: Duration { .zero }

  /// Yields to other tasks, then returns.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    current.withLock { $0 = max($0, deadline) }
    await Task.yield()
    try Task.checkCancellation()
  }
}

/// A clock that reports an issue when it is used; its sleepers wake immediately.
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
      "Unimplemented: \(member) of \(name) was used, but the test expects that nothing waits on it.")
  }
}
