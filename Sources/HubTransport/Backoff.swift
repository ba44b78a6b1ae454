// When the next attempt to connect is due. It neither waits nor connects.

/// Jittered back-off: the first attempt comes within 100 ms of the loss, the others at most 1 s apart for the first 10
/// s, then at most 5 s apart. Half of every delay is random, so a hub's clients do not all reconnect at once.
public struct Backoff: Sendable {
  private static let first = Duration.milliseconds(100)
  private static let soonLimit = Duration.seconds(1)
  private static let soon = Duration.seconds(10)
  private static let limit = Duration.seconds(5)

  private var lostAt: Deadline?
  private var attempts = 0

  /// Attempts that failed since the last success.
  package private(set) var failures = 0

  /// Nothing has failed yet.
  public init() {}

  /// Records that a connection was made.
  public mutating func succeed() {
    lostAt = nil
    attempts = 0
    failures = 0
  }

  package mutating func fail() { failures += 1 }

  /// When to try again.
  ///
  /// - Parameter random: any 64 random bits.
  public mutating func next(now: Deadline, random: UInt64) -> Deadline {
    let start = lostAt ?? now
    lostAt = start
    defer { attempts += 1 }
    if attempts == 0 { return now + Backoff.first.scaled(by: random) }
    let isSoon = now < start + Backoff.soon
    let ceiling = min(
      Backoff.first * (1 << min(attempts, 6)), isSoon ? Backoff.soonLimit : Backoff.limit)
    return now + ceiling / 2 + (ceiling / 2).scaled(by: random)
  }
}

extension Duration {
  /// `random / 2^64` of the duration.
  fileprivate func scaled(by random: UInt64) -> Duration {
    .nanoseconds(Int64(wholeNanoseconds.multipliedFullWidth(by: random).high))
  }
}
