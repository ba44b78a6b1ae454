// Between a program's values and the hub's, chosen once for each handle. It reads and writes no stores.

public import HubCore

@usableFromInline
struct ValueCodec<Value: Sendable>: Sendable {
  @usableFromInline let encode: @Sendable (Value) throws(HubError) -> HubCore.Value
  @usableFromInline let decode: @Sendable (HubCore.Value) throws(HubError) -> Value
  /// Decoding is costly enough to do once for all streams.
  @usableFromInline let isCostly: Bool

  @inlinable
  init(
    encode: @escaping @Sendable (Value) throws(HubError) -> HubCore.Value,
    decode: @escaping @Sendable (HubCore.Value) throws(HubError) -> Value, isCostly: Bool = false
  ) {
    self.encode = encode
    self.decode = decode
    self.isCostly = isCostly
  }

  @inlinable
  func decode(_ value: HubCore.Value, of store: @autoclosure () -> String) throws(HubError) -> Value {
    do throws(HubError) {
      return try decode(value)
    } catch {
      throw error.about(store())
    }
  }

  @inlinable
  func encode(_ value: Value, for store: @autoclosure () -> String) throws(HubError) -> HubCore.Value {
    do throws(HubError) {
      return try encode(value)
    } catch {
      throw error.about(store())
    }
  }
}

extension ValueCodec where Value == HubCore.Value {
  static var identity: ValueCodec { ValueCodec(encode: { $0 }, decode: { $0 }) }
}

extension ValueCodec where Value: StoreValue {
  /// The type's own form. Known where the type is known, its code is made for the type.
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
  /// The type's own form if it has one, else JSON. Asked of the type itself, so that generic code finds it too.
  static func best() -> ValueCodec {
    if let type = Value.self as? any StoreValue.Type { return native(type) }
    return ValueCodec(
      encode: { value throws(HubError) in try encodedJSON(value) },
      decode: { value throws(HubError) in try decodedJSON(value) }, isCostly: true)
  }

  /// `Native` is `Value` itself, with what it conforms to.
  private static func native<Native: StoreValue>(_ type: Native.Type) -> ValueCodec {
    precondition(type == Value.self)
    return unsafeBitCast(ValueCodec<Native>.native(), to: ValueCodec.self)
  }
}

extension HubError {
  @usableFromInline
  static func unencodable(_ value: some Sendable) -> HubError {
    HubError(.invalidValue, "\(value) cannot be held by a store")
  }

  @usableFromInline
  static func undecodable(_ value: HubCore.Value, _ type: (some Sendable).Type) -> HubError {
    HubError(.undecodable, "the store holds \(value.type.withArticle), \(value), which is no \(type)")
  }
}
