// Conditions of watches, from a program's own values.

public import HubCore

/// Numbers compare by their exact value, whether integer or double; strings and data byte by byte. A value that the comparison does
/// not apply to always comes: one of another type, or with `less` and the like a boolean or json.
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
