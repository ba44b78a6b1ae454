// What was logged recently about which user, so that a user who keeps reaching a limit is named once, not with each request. It has no clock.

/// A user and a topic are admitted once, and again after `pause`. At most `most` of them are remembered; beyond that no user is
/// held back here, and the log's own limit remains.
struct Reminders {
  private struct Topic: Hashable {
    let uid: UInt32
    let text: String
  }

  /// In nanoseconds.
  static let pause: UInt64 = 300_000_000_000
  static let most = 1024

  private var said: [Topic: UInt64] = [:]

  /// - Parameters:
  ///   - message: digits in it make no other topic: how much is used changes.
  ///   - time: nanoseconds of a clock that never jumps back.
  mutating func admit(_ uid: UInt32, _ message: String, at time: UInt64) -> Bool {
    let topic = Topic(uid: uid, text: message.filter { !$0.isNumber })
    if let last = said[topic], time < last + Reminders.pause { return false }
    if said.count >= Reminders.most { said = said.filter { time < $0.value + Reminders.pause } }
    if said.count < Reminders.most { said[topic] = time }
    return true
  }
}
