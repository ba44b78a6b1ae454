// Which Swift types are which types of the hub. Everything else that is Codable travels as JSON: `CodableValue`.

public import HubCore

/// A type that has a form of its own in the hub: integers, floating point, `Bool`, `String`, `[UInt8]`, and enumerations
/// and other `RawRepresentable` types of these. Conform your own if JSON is not what it shall be.
public protocol StoreValue: Codable, Sendable {
  /// - Returns: nil if the value cannot be held by a store.
  var storeValue: HubCore.Value? { get }

  /// Nil if the value is none of this type.
  init?(storeValue: HubCore.Value)
}

extension StoreValue where Self: FixedWidthInteger {
  public var storeValue: HubCore.Value? { Int64(exactly: self).map { .integer($0) } }

  public init?(storeValue: HubCore.Value) {
    guard case .integer(let integer) = storeValue else { return nil }
    self.init(exactly: integer)
  }
}

extension Int: StoreValue {}
extension Int8: StoreValue {}
extension Int16: StoreValue {}
extension Int32: StoreValue {}
extension Int64: StoreValue {}
extension UInt: StoreValue {}
extension UInt8: StoreValue {}
extension UInt16: StoreValue {}
extension UInt32: StoreValue {}
extension UInt64: StoreValue {}

extension Double: StoreValue {
  public var storeValue: HubCore.Value? { isFinite ? .double(self) : nil }

  /// An integer store can be read as doubles, as far as that is exact.
  public init?(storeValue: HubCore.Value) {
    guard case .double(let double) = storeValue.converted(to: .double) else { return nil }
    self = double
  }
}

extension Float: StoreValue {
  public var storeValue: HubCore.Value? { Double(self).storeValue }

  /// Rounded, as the store holds a double.
  public init?(storeValue: HubCore.Value) {
    guard let double = Double(storeValue: storeValue) else { return nil }
    self.init(double)
  }
}

extension Bool: StoreValue {
  public var storeValue: HubCore.Value? { .boolean(self) }

  public init?(storeValue: HubCore.Value) {
    guard case .boolean(let boolean) = storeValue else { return nil }
    self = boolean
  }
}

extension String: StoreValue {
  public var storeValue: HubCore.Value? { .string(self) }

  public init?(storeValue: HubCore.Value) {
    guard case .string(let text) = storeValue else { return nil }
    self = text
  }
}

extension [UInt8]: StoreValue {
  public var storeValue: HubCore.Value? { .data(self) }

  public init?(storeValue: HubCore.Value) {
    guard case .data(let bytes) = storeValue else { return nil }
    self = bytes
  }
}

extension StoreValue where Self: RawRepresentable, RawValue: StoreValue {
  public var storeValue: HubCore.Value? { rawValue.storeValue }

  public init?(storeValue: HubCore.Value) {
    guard let raw = RawValue(storeValue: storeValue) else { return nil }
    self.init(rawValue: raw)
  }
}
