// When a kept value ends by the clock of another boot or of another time namespace.

import Testing

@testable import HubCore
@testable import HubEngine

@Suite("A lifetime that crosses processes")
struct KeptLifetimeTests {
  private static let second: UInt64 = 1_000_000_000

  /// Written at second 100 of the clock, with 3 seconds left.
  private static let kept = KeptLifetime(
    deadline: 103 * second, remaining: 3 * second, written: 50 * Int64(second), isEphemeral: false)

  private func left(boot: UInt64, wall: Int64, isSameBoot: Bool = true) -> Double {
    let now = Instant(wall: wall * Int64(Self.second), boot: boot * Self.second)
    let end = Self.kept.deadline(isSameBoot: isSameBoot, now: now)
    return (Double(end) - Double(now.boot)) / Double(Self.second)
  }

  @Test("by the same clock it ends when it would have ended")
  func sameClock() {
    #expect(left(boot: 100, wall: 50) == 3)
    #expect(left(boot: 102, wall: 7000) == 1)
    #expect(left(boot: 110, wall: 50) == -7)
  }

  @Test(
    "a clock that is behind is another one, also in the same boot: the value never has more time than was left"
  )
  func otherNamespace() {
    for isSameBoot in [true, false] {
      #expect(left(boot: 5, wall: 50, isSameBoot: isSameBoot) == 3)
      #expect(left(boot: 5, wall: 52, isSameBoot: isSameBoot) == 1)
      #expect(left(boot: 5, wall: 60, isSameBoot: isSameBoot) == 0)
      // The wall clock was set back.
      #expect(left(boot: 5, wall: 0, isSameBoot: isSameBoot) == 3)
    }
  }

  @Test("a time that had passed when it was written has passed by every clock")
  func passed() {
    let kept = KeptLifetime(deadline: 90, remaining: 0, written: 50, isEphemeral: false)
    for boot in [1, 89, 90, 1000] as [UInt64] {
      #expect(kept.deadline(isSameBoot: true, now: Instant(wall: 50, boot: boot)) <= max(boot, 90))
      #expect(kept.deadline(isSameBoot: true, now: Instant(wall: 50, boot: boot)) <= boot)
    }
  }
}
