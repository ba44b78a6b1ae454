// Which users the log has named lately for which limit: it counts, and knows neither clock nor text.

/// A user is named once for a limit, and again after an hour: it may go on asking a thousand times in a second.
struct LimitNotices {
  private struct Key: Hashable {
    var uid: UInt32
    var setting: String
  }

  private static let silence: UInt64 = 3_600_000_000_000
  /// With more than this, those of whom the log may speak again are forgotten, and then all.
  static let most = 1024

  private var named: [Key: UInt64] = [:]

  /// Whether the log names the user now.
  ///
  /// - Parameter time: nanoseconds of a clock that never jumps back.
  mutating func admit(_ uid: UInt32, _ setting: String, at time: UInt64) -> Bool {
    let key = Key(uid: uid, setting: setting)
    if let last = named[key], time < last + LimitNotices.silence { return false }
    if named.count >= LimitNotices.most { named = named.filter { time < $0.value + LimitNotices.silence } }
    if named.count >= LimitNotices.most { named = [:] }
    named[key] = time
    return true
  }
}
