// Owns the ticks of a clock as an asynchronous sequence.

extension Clock where Duration == Swift.Duration {
  /// The clock's time at every `interval`, until the reading task is cancelled.
  ///
  /// ```swift
  /// for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
  /// ```
  /// A slow reader skips ticks, but stays in step. Idea: Point-Free's swift-clocks.
  /// - Parameter interval: Must be positive.
  public func timer(interval: Duration, tolerance: Duration? = nil) -> ClockTimer {
    ClockTimer(clock: AnyClock(self), interval: interval, tolerance: tolerance)
  }
}

/// The ticks of a clock.
public struct ClockTimer: AsyncSequence, Sendable {
  public typealias Element = AnyClock.Instant
  public typealias Failure = Never

  let clock: AnyClock
  let interval: Duration
  let tolerance: Duration?

  public func makeAsyncIterator() -> Iterator {
    precondition(interval > .zero, "a timer's interval must be positive")
    return Iterator(timer: self)
  }

  public struct Iterator: AsyncIteratorProtocol {
    let timer: ClockTimer
    private var last: AnyClock.Instant?

    init(timer: ClockTimer) { self.timer = timer }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> AnyClock.Instant? {
      let now = timer.clock.now
      var next = (last ?? now).advanced(by: timer.interval)
      if next < now {
        let late = next.duration(to: now)
        next = next.advanced(by: timer.interval * Int((late / timer.interval).rounded(.up)))
      }
      guard (try? await timer.clock.sleep(until: next, tolerance: timer.tolerance)) != nil else { return nil }
      last = next
      return timer.clock.now
    }
  }
}
