// Between a program's values and the hub's, chosen once for each handle. It reads and writes no stores.

internal import HubCore

struct ValueCodec<Value: Sendable>: Sendable {
  let encode: @Sendable (Value) throws(HubError) -> HubCore.Value
  let decode: @Sendable (HubCore.Value) throws(HubError) -> Value
  /// Decoding is worth being done once for all streams.
  var isCostly = false

  func decode(_ value: HubCore.Value, of store: String) throws(HubError) -> Value {
    do throws(HubError) {
      return try decode(value)
    } catch {
      throw error.about(store)
    }
  }

  func encode(_ value: Value, for store: String) throws(HubError) -> HubCore.Value {
    do throws(HubError) {
      return try encode(value)
    } catch {
      throw error.about(store)
    }
  }
}

extension ValueCodec where Value == HubCore.Value {
  static var identity: ValueCodec { ValueCodec(encode: { $0 }, decode: { $0 }) }
}

extension ValueCodec where Value: Codable {
  /// The type's own form if it has one, else JSON. Asked of the type itself, so that generic code finds it too.
  static func best() -> ValueCodec {
    if let type = Value.self as? any StoreValue.Type { return native(type) }
    return ValueCodec(
      encode: { value throws(HubError) in try encodedJSON(value) },
      decode: { value throws(HubError) in try decodedJSON(value) }, isCostly: true)
  }

  /// `Native` is `Value` itself, with what it conforms to: so the casts are none.
  private static func native<Native: StoreValue>(_ type: Native.Type) -> ValueCodec {
    precondition(type == Value.self)
    return ValueCodec(
      encode: { value throws(HubError) in
        if let value = unsafeBitCast(value, to: Native.self).storeValue { return value }
        throw HubError(.invalidValue, "\(value) cannot be held by a store")
      },
      decode: { value throws(HubError) in
        if let native = Native(storeValue: value) { return unsafeBitCast(native, to: Value.self) }
        throw HubError(.undecodable, "the store holds \(value.article) \(value), which is no \(Value.self)")
      })
  }
}

extension HubCore.Value {
  var article: String { type == .integer ? "an integer," : "a \(type)," }
}
