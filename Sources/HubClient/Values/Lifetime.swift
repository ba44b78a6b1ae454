// How long a value stays, in a program's words.

public import HubCore
internal import HubTransport

extension Hub {
  /// How long a value stays: `.permanent`, `.expires(after:)`, `.whileConnected`, or as its fields say.
  public typealias Lifetime = HubCore.Lifetime
}

extension Lifetime {
  /// The value stays as long as the Hub that sets it is connected. After a lost connection it is set again, under the same condition
  /// (unless that was a revision: such a value is not set again).
  public static let whileConnected = Lifetime(ephemeral: true)

  /// The value stays for that time, in whole milliseconds, also counted while the machine sleeps. Then the store returns to its
  /// initial value, or is removed.
  public static func expires(after time: Duration) -> Lifetime {
    let nanoseconds = time.wholeNanoseconds
    return Lifetime(ttl: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
  }
}
