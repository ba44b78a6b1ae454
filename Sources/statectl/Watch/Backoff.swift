// When to try again to reach a hub that has gone. It is told the time and never waits.

/// The first attempt comes at once or nearly so; in the first ten seconds attempts are at most one second apart, later
/// five. Every pause is jittered, so that many watchers do not come back at the same moment.
struct Backoff: Sendable {
  private var pause = Duration.milliseconds(25)
  private var waited = Duration.zero

  /// How long to wait before the next attempt.
  mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
    let jittered = pause * Double.random(in: 0.5...1, using: &generator)
    waited += jittered
    pause = min(pause * 2, waited < .seconds(10) ? .seconds(1) : .seconds(5))
    return jittered
  }
}
