// The typed values that a store can hold, as owned values and as bytes on the wire.

/// A store's type. The raw values are the tags on the wire.
public enum ValueType: UInt8, Sendable, CaseIterable, CustomStringConvertible {
  case integer = 1
  case double = 2
  case boolean = 3
  case string = 4
  case data = 5
  case json = 6

  /// The type with that name, such as `integer`; nil if there is none.
  public init?(name: String) {
    guard let type = ValueType.allCases.first(where: { $0.description == name }) else { return nil }
    self = type
  }

  public var description: String {
    switch self {
    case .integer: "integer"
    case .double: "double"
    case .boolean: "boolean"
    case .string: "string"
    case .data: "data"
    case .json: "json"
    }
  }

  /// The type with its article, for sentences: `an integer`, `a double`.
  package var withArticle: String { self == .integer ? "an integer" : "a \(self)" }

  /// Whether bounds and `add` apply to values of the type.
  public var isNumber: Bool { self == .integer || self == .double }

  /// How many bytes every value of this type takes, or nil if that varies.
  @inlinable package var fixedLength: Int? {
    switch self {
    case .integer, .double: 8
    case .boolean: 1
    case .string, .data, .json: nil
    }
  }
}

/// A value as programs use it. Two values are equal when their bytes are: strings in different normal forms differ,
/// and doubles are compared by their bits.
public enum Value: Sendable {
  case integer(Int64)
  /// Finite.
  case double(Double)
  case boolean(Bool)
  case string(String)
  case data([UInt8])
  /// RFC 8259 text, kept byte for byte.
  case json(String)

  /// The type of the value.
  public var type: ValueType {
    switch self {
    case .integer: .integer
    case .double: .double
    case .boolean: .boolean
    case .string: .string
    case .data: .data
    case .json: .json
    }
  }

  /// The value's bytes on the wire, without tag and length.
  public var bytes: [UInt8] {
    switch self {
    case .integer(let value): Value.littleEndian(UInt64(bitPattern: value))
    case .double(let value): Value.littleEndian(value.bitPattern)
    case .boolean(let value): [value ? 1 : 0]
    case .string(let text), .json(let text): Array(text.utf8)
    case .data(let bytes): bytes
    }
  }

  private static func littleEndian(_ word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
  }

  /// The initial value of a store that declares none: zero, false, or empty (`null` for JSON).
  public static func zero(of type: ValueType) -> Value {
    switch type {
    case .integer: .integer(0)
    case .double: .double(0)
    case .boolean: .boolean(false)
    case .string: .string("")
    case .data: .data([])
    case .json: .json("null")
    }
  }
}

extension Value: Hashable {
  /// Values of different types are never equal; doubles are compared by their bits, text and data byte by byte.
  public static func == (a: Value, b: Value) -> Bool {
    a.type == b.type && a.bytes == b.bytes
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(bytes)
  }
}

extension Value: CustomStringConvertible {
  /// The value for messages: numbers and text unchanged, data as its length.
  public var description: String {
    switch self {
    case .integer(let value): String(value)
    case .double(let value): String(value)
    case .boolean(let value): String(value)
    case .string(let text), .json(let text): text
    case .data(let bytes): "\(bytes.count) bytes"
    }
  }
}

/// A value in a frame: tag and bytes, borrowed. `init(reading:)` has checked its shape (tag, lengths, finite, 0 or 1), but
/// not whether text is UTF-8 or JSON.
@usableFromInline package struct ValueView {
  @usableFromInline package let type: ValueType
  @usableFromInline package let bytes: ByteView

  @inlinable package init(type: ValueType, bytes: ByteView) {
    self.type = type
    self.bytes = bytes
  }

  /// Reads `tag: u8, length: u32, bytes`; nil if the bytes do not have the shape of a value.
  @inlinable @inline(__always)
  package init?(reading reader: inout ByteReader) {
    let tag = reader.integer(UInt8.self)
    let length = reader.integer(UInt32.self)
    let bytes = reader.bytes(Int(length))
    guard !reader.failed, let type = ValueType(rawValue: tag) else { return nil }
    self.init(type: type, checking: bytes)
  }

  /// Nil if the bytes do not have the shape of such a value.
  @inlinable @inline(__always)
  package init?(type: ValueType, checking bytes: ByteView) {
    if let fixed = type.fixedLength, fixed != bytes.count { return nil }
    self.init(type: type, bytes: bytes)
    switch type {
    case .double where !double.isFinite: return nil
    case .boolean where bytes[0] > 1: return nil
    default: break
    }
  }

  @inlinable package var integer: Int64 { Int64(bitPattern: bytes.load(at: 0)) }
  @inlinable package var double: Double { Double(bitPattern: bytes.load(at: 0)) }
  @inlinable package var boolean: Bool { bytes[0] != 0 }

  /// An owned copy. Text that is not UTF-8 is repaired; the hub never sends such text.
  package var value: Value {
    switch type {
    case .integer: .integer(integer)
    case .double: .double(double)
    case .boolean: .boolean(boolean)
    case .string: .string(bytes.text)
    case .data: .data(bytes.array)
    case .json: .json(bytes.text)
    }
  }

  /// How many bytes `tag, length, bytes` take.
  @inlinable package var encodedLength: Int { 5 + bytes.count }

  /// Writes `tag, length, bytes`.
  @inlinable @inline(__always)
  package func write(to target: UnsafeMutableRawPointer) {
    target.storeBytes(of: type.rawValue, as: UInt8.self)
    target.storeBytes(of: UInt32(bytes.count).littleEndian, toByteOffset: 1, as: UInt32.self)
    (target + 5).copyMemory(from: bytes.base, byteCount: bytes.count)
  }
}

extension ValueView {
  /// Why the value's content does not match its tag (text that is not UTF-8, JSON that is not JSON), or nil.
  @inlinable @inline(__always)
  package var contentProblem: HubError? {
    switch type {
    case .integer, .boolean, .data: nil
    case .string where bytes.isASCII: nil
    case .double, .string, .json: contentProblemOfAny
    }
  }

  @usableFromInline package var contentProblemOfAny: HubError? {
    switch type {
    case .integer, .boolean, .data: nil
    case .double: double.isFinite ? nil : HubError(.invalidValue, "a double must be finite")
    case .string: bytes.utf8Problem
    case .json: bytes.jsonProblem
    }
  }
}

extension ByteView {
  fileprivate var utf8Problem: HubError? {
    do {
      _ = try UTF8Span(validating: Span(_unsafeElements: buffer.assumingMemoryBound(to: UInt8.self)))
      return nil
    } catch {
      let offset = error.byteOffsets.lowerBound
      return HubError(.invalidValue, "a string must be UTF-8: the byte at offset \(offset) is not")
    }
  }

  fileprivate var jsonProblem: HubError? {
    do {
      try JSON.validate(buffer)
      return nil
    } catch {
      return HubError(.invalidValue, "not JSON: \(error)")
    }
  }
}

extension OutputBuffer {
  @inlinable package mutating func append(_ value: Value) {
    append(value.type.rawValue)
    let length = count
    append(UInt32(0))
    switch value {
    case .integer(let value): append(value)
    case .double(let value): append(value.bitPattern)
    case .boolean(let value): append(value ? 1 : 0 as UInt8)
    case .string(let text), .json(let text): append(utf8: text)
    case .data(let bytes): append(bytes)
    }
    // Anything longer is in a frame that is too long.
    patch(UInt32(clamping: count - length - 4), at: length)
  }

  @inlinable package mutating func append(_ value: ValueView) {
    value.write(to: extend(value.encodedLength))
  }
}
