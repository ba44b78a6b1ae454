// How Swift types map to types of the hub. Any other Codable type is sent as JSON: see `CodableValue`.

public import HubCore

/// A type that the hub stores natively: integers, floating point, `Bool`, `String`, `[UInt8]`, `Data`, `Date`, `Duration`, `UUID`.
/// Enumerations and other `RawRepresentable` types of these are stored as their raw values without conforming. A type of your own that is
/// Codable and Sendable is stored as JSON; conform it to avoid that.
public protocol StoreValue: Codable, Sendable {
  /// - Returns: nil if a store cannot have the value.
  var storeValue: HubValue? { get }

  /// Nil if the value cannot be converted to this type.
  init?(storeValue: HubValue)
}

extension StoreValue where Self: FixedWidthInteger {
  @inlinable public var storeValue: HubValue? { Int64(exactly: self).map { .integer($0) } }

  @inlinable public init?(storeValue: HubValue) {
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
  @inlinable public var storeValue: HubValue? { isFinite ? .double(self) : nil }

  /// An integer store can be read as doubles if the conversion is exact.
  @inlinable public init?(storeValue: HubValue) {
    guard case .double(let double) = storeValue.converted(to: .double) else { return nil }
    self = double
  }
}

extension Float: StoreValue {
  @inlinable public var storeValue: HubValue? { Double(self).storeValue }

  /// Rounded, because the store holds a double.
  @inlinable public init?(storeValue: HubValue) {
    guard let double = Double(storeValue: storeValue) else { return nil }
    self.init(double)
  }
}

extension Bool: StoreValue {
  @inlinable public var storeValue: HubValue? { .boolean(self) }

  @inlinable public init?(storeValue: HubValue) {
    guard case .boolean(let boolean) = storeValue else { return nil }
    self = boolean
  }
}

extension String: StoreValue {
  @inlinable public var storeValue: HubValue? { .string(self) }

  @inlinable public init?(storeValue: HubValue) {
    guard case .string(let text) = storeValue else { return nil }
    self = text
  }
}

extension [UInt8]: StoreValue {
  @inlinable public var storeValue: HubValue? { .data(self) }

  @inlinable public init?(storeValue: HubValue) {
    guard case .data(let bytes) = storeValue else { return nil }
    self = bytes
  }
}

extension StoreValue where Self: RawRepresentable, RawValue: StoreValue {
  @inlinable public var storeValue: HubValue? { rawValue.storeValue }

  @inlinable public init?(storeValue: HubValue) {
    guard let raw = RawValue(storeValue: storeValue) else { return nil }
    self.init(rawValue: raw)
  }
}
