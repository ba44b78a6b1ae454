// etcd's JSON: 64-bit numbers are strings, bytes are base64, and default values are omitted.

internal import FoundationEssentials

extension KeyedDecodingContainer {
  /// A number; 0 if it is omitted.
  func number<Number: FixedWidthInteger>(_ key: Key) throws -> Number {
    guard let text = try decodeIfPresent(String.self, forKey: key) else { return 0 }
    if let number = Number(text) { return number }
    throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "\(text) is not a number")
  }

  /// Bytes; empty if they are omitted.
  func bytes(_ key: Key) throws -> Data { try decodeIfPresent(Data.self, forKey: key) ?? Data() }

  /// A Boolean; `false` if it is omitted.
  func flag(_ key: Key) throws -> Bool { try decodeIfPresent(Bool.self, forKey: key) ?? false }

  /// A list; empty if it is omitted.
  func list<Element: Decodable>(_ key: Key) throws -> [Element] {
    try decodeIfPresent([Element].self, forKey: key) ?? []
  }
}

extension KeyedEncodingContainer {
  /// A number, unless it is 0.
  mutating func encode(number: Int64, _ key: Key) throws {
    if number != 0 { try encode(String(number), forKey: key) }
  }

  /// Bytes, unless there are none.
  mutating func encode(bytes: Data, _ key: Key) throws {
    if !bytes.isEmpty { try encode(bytes, forKey: key) }
  }

  /// A Boolean, unless it is `false`.
  mutating func encode(flag: Bool, _ key: Key) throws {
    if flag { try encode(true, forKey: key) }
  }
}
