// How common types that are not the standard library's own are stored: so that programs in any language can read them.

public import FoundationEssentials
public import HubCore

extension Data: StoreValue {
  /// Bytes.
  public var storeValue: HubValue? { .data([UInt8](self)) }

  /// The bytes.
  public init?(storeValue: HubValue) {
    guard let bytes = [UInt8](storeValue: storeValue) else { return nil }
    self.init(bytes)
  }
}

extension Date: StoreValue {
  /// A double, seconds since 1970, as `date +%s` prints them: exact to less than a microsecond.
  public var storeValue: HubValue? { timeIntervalSince1970.storeValue }

  /// From a double or an integer.
  public init?(storeValue: HubValue) {
    guard let seconds = Double(storeValue: storeValue) else { return nil }
    self.init(timeIntervalSince1970: seconds)
  }
}

extension Duration: StoreValue {
  /// A double, seconds: exact to the nanosecond up to 90 days.
  public var storeValue: HubValue? {
    (Double(components.seconds) + Double(components.attoseconds) / 1e18).storeValue
  }

  /// From a double or an integer, rounded to whole nanoseconds; nil if there are more seconds than a `Duration` has.
  public init?(storeValue: HubValue) {
    guard let seconds = Double(storeValue: storeValue),
      let whole = Int64(exactly: seconds.rounded(.down))
    else { return nil }
    self = .seconds(whole) + .nanoseconds(Int64(((seconds - Double(whole)) * 1e9).rounded()))
  }
}

extension UUID: StoreValue {
  /// A string in lower case, such as `e621e1f8-c36c-495a-93fc-0c247a3e6e5f`.
  public var storeValue: HubValue? { uuidString.lowercased().storeValue }

  /// From a string in either case.
  public init?(storeValue: HubValue) {
    guard let text = String(storeValue: storeValue) else { return nil }
    self.init(uuidString: text)
  }
}
