// How often the log names the same user for the same thing.

import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Reminders") struct RemindersTests {
  @Test("a user is named once for a limit, however much of it is used, and again after some minutes")
  func once() {
    var reminders = Reminders()
    func admit(_ uid: UInt32, _ text: String, _ time: UInt64) -> Bool { reminders.admit(uid, text, at: time) }
    #expect(admit(1000, "the hub holds 10 stores", 1))
    #expect(!admit(1000, "the hub holds 11 stores", 2))
    #expect(admit(1001, "the hub holds 11 stores", 2), "another user")
    #expect(admit(1000, "the hub holds 10 bytes", 2), "another limit")
    #expect(!admit(1000, "the hub holds 9 stores", Reminders.pause))
    #expect(admit(1000, "the hub holds 9 stores", 1 + Reminders.pause))
  }

  @Test("of many users only so many are remembered, and forgotten ones make room")
  func bounded() {
    var reminders = Reminders()
    func admit(_ uid: UInt32, _ time: UInt64) -> Bool { reminders.admit(uid, "a", at: time) }
    for uid in 0..<UInt32(Reminders.most) { #expect(admit(uid, 1)) }
    #expect(!admit(5, 2))
    #expect(admit(1_000_000, 2))
    #expect(admit(1_000_000, 3), "not remembered")
    #expect(admit(1_000_000, 1 + Reminders.pause))
    #expect(!admit(1_000_000, 2 + Reminders.pause))
  }
}
