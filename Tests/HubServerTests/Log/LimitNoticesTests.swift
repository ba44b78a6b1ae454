// Whom the log names for a limit, and how often.

import Testing

@testable import HubServer

@Suite("Notices of limits")
struct LimitNoticesTests {
  private static let hour: UInt64 = 3_600_000_000_000

  /// The notices of one log.
  private final class Notices {
    var notices = LimitNotices()
    func admit(_ uid: UInt32, _ setting: String, at time: UInt64) -> Bool {
      notices.admit(uid, setting, at: time)
    }
  }

  @Test("a user is named once in an hour for each limit, however often it is met")
  func once() {
    let notices = Notices()
    #expect(notices.admit(1000, "maxStores", at: 5))
    for time in 6..<1000 as Range<UInt64> { #expect(!notices.admit(1000, "maxStores", at: time)) }
    #expect(notices.admit(1001, "maxStores", at: 7))
    #expect(notices.admit(1000, "maxMemoryBytes", at: 8))
    #expect(!notices.admit(1000, "maxStores", at: 4 + Self.hour))
    #expect(notices.admit(1000, "maxStores", at: 5 + Self.hour))
  }

  @Test("however many users there are, little is remembered")
  func many() {
    let notices = Notices()
    for uid in 0..<UInt32(LimitNotices.most) { #expect(notices.admit(uid, "maxStores", at: 1)) }
    #expect(!notices.admit(7, "maxStores", at: 2))
    #expect(notices.admit(1_000_000, "maxStores", at: 3))
    // All of them were forgotten.
    #expect(notices.admit(7, "maxStores", at: 4))
  }
}
