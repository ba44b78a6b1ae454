// How long a value stays, and what a watch waits for, in a program's own types.

public import HubCore
internal import HubTransport

extension Hub {
  /// How long a value stays: `.permanent`, `.expires(after:)`, `.whileConnected`, or a combination of its fields.
  public typealias Lifetime = HubCore.Lifetime
}

extension Lifetime {
  /// The value stays as long as the Hub that sets it is connected. After a lost connection it is set again, under the same condition
  /// (unless that was a revision: such a value is not set again).
  public static let whileConnected = Lifetime(ephemeral: true)

  /// The value stays for that time, in whole milliseconds, including time that the machine sleeps. Then the store returns to its
  /// initial value, or is removed.
  public static func expires(after time: Duration) -> Lifetime {
    let nanoseconds = time.wholeNanoseconds
    return Lifetime(ttl: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
  }
}

/// Numbers compare by their exact value, whether integer or double; strings and data byte by byte. Values that the comparison does not apply to are
/// always sent: those of another type and, with `less` and the like, booleans and json.
extension WatchCondition {
  /// Whether it is equal to one of these.
  public static func equal(_ values: any StoreValue...) -> WatchCondition { WatchCondition(.equal, values) }
  /// Whether it is equal to none of these. A missing store is equal to none.
  public static func notEqual(_ values: any StoreValue...) -> WatchCondition {
    WatchCondition(.notEqual, values)
  }
  public static func less(_ value: some StoreValue) -> WatchCondition { WatchCondition(.less, [value]) }
  public static func lessOrEqual(_ value: some StoreValue) -> WatchCondition {
    WatchCondition(.lessOrEqual, [value])
  }
  public static func greater(_ value: some StoreValue) -> WatchCondition { WatchCondition(.greater, [value]) }
  public static func greaterOrEqual(_ value: some StoreValue) -> WatchCondition {
    WatchCondition(.greaterOrEqual, [value])
  }

  /// Without operands, which no hub takes, if no store can have one of the values.
  private init(_ comparison: Comparison, _ values: [any StoreValue]) {
    let operands = values.compactMap { $0.storeValue }
    self.init(comparison, operands.count == values.count ? operands : [])
  }
}
