// Converts between a program's values and the hub's; chosen once for each handle. It reads and writes no stores.

public import HubCore

@usableFromInline
struct ValueCodec<Value: Sendable>: Sendable {
  @usableFromInline let encode: @Sendable (Value) throws(HubError) -> HubValue
  @usableFromInline let decode: @Sendable (HubValue) throws(HubError) -> Value
  /// Decoding is costly enough to do once for all streams.
  @usableFromInline let isCostly: Bool

  @inlinable
  init(
    encode: @escaping @Sendable (Value) throws(HubError) -> HubValue,
    decode: @escaping @Sendable (HubValue) throws(HubError) -> Value, isCostly: Bool = false
  ) {
    self.encode = encode
    self.decode = decode
    self.isCostly = isCostly
  }

  @inlinable
  func decode(_ value: HubValue, of store: @autoclosure () -> String) throws(HubError) -> Value {
    do throws(HubError) {
      return try decode(value)
    } catch {
      throw error.about(store())
    }
  }

  @inlinable
  func encode(_ value: Value, for store: @autoclosure () -> String) throws(HubError) -> HubValue {
    do throws(HubError) {
      return try encode(value)
    } catch {
      throw error.about(store())
    }
  }
}

extension ValueCodec where Value == HubValue {
  static var identity: ValueCodec { ValueCodec(encode: { $0 }, decode: { $0 }) }
}

extension ValueCodec where Value: StoreValue {
  /// The type's own form. Where the type is known, its code is specialised for the type.
  @inlinable
  static func native() -> ValueCodec {
    ValueCodec(
      encode: { value throws(HubError) in
        guard let value = value.storeValue else { throw .unencodable(value) }
        return value
      },
      decode: { value throws(HubError) in
        guard let native = Value(storeValue: value) else { throw .undecodable(value, Value.self) }
        return native
      })
  }
}

extension ValueCodec where Value: Codable {
  /// The type's own form if it has one, then that of its raw value, otherwise JSON. It is looked up on the type
  /// itself, so that generic code finds it too.
  static func best() -> ValueCodec {
    if let type = Value.self as? any StoreValue.Type { return native(type) }
    if let raw { return raw }
    return ValueCodec(
      encode: { value throws(HubError) in try encodedJSON(value) },
      decode: { value throws(HubError) in try decodedJSON(value) }, isCostly: true)
  }

  /// `Native` is `Value` itself, with its conformances.
  private static func native<Native: StoreValue>(_ type: Native.Type) -> ValueCodec {
    precondition(type == Value.self)
    return unsafeBitCast(ValueCodec<Native>.native(), to: ValueCodec.self)
  }
}

extension ValueCodec {
  /// The raw value's form, if the type has a raw value that a store can hold. Found each time: a type that is not known when this is
  /// compiled cannot be kept by a function that any thread calls.
  fileprivate static var raw: ValueCodec? {
    guard let type = Value.self as? any RawRepresentable.Type, isNative(type) else { return nil }
    return ValueCodec(
      encode: { value throws(HubError) in
        let raw = (value as? any RawRepresentable)?.rawValue as? any StoreValue
        guard let native = raw?.storeValue else { throw .unencodable(value) }
        return native
      },
      decode: { value throws(HubError) in
        let type = Value.self as? any RawRepresentable.Type
        guard let known = type.flatMap({ make($0, of: value) }) as? Value else {
          throw .undecodable(value, Value.self)
        }
        return known
      })
  }

  private static func isNative<Raw: RawRepresentable>(_: Raw.Type) -> Bool {
    Raw.RawValue.self is any StoreValue.Type
  }

  private static func make<Raw: RawRepresentable>(_: Raw.Type, of value: HubValue) -> Raw? {
    let type = Raw.RawValue.self as? any StoreValue.Type
    return (type?.init(storeValue: value) as? Raw.RawValue).flatMap { Raw(rawValue: $0) }
  }
}

extension HubError {
  @usableFromInline
  static func unencodable(_ value: some Sendable) -> HubError {
    HubError(.invalidValue, "a store cannot hold \(value)")
  }

  @usableFromInline
  static func undecodable(_ value: HubValue, _ type: (some Sendable).Type) -> HubError {
    HubError(
      .undecodable, "the store holds \(value.type.withArticle), \(value), which is not a valid \(type)")
  }
}
