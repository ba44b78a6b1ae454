// One component of a key as one component of a store's name, and back: a byte that names cannot contain becomes `_x` and two
// digits.

enum NameEscape {
  /// Represents an empty component.
  private static let empty = Array("_x".utf8)

  /// The component of a name for a component of a key.
  static func encoded(_ part: some RandomAccessCollection<UInt8>) -> [UInt8] {
    let bytes = Array(part)
    if bytes.isEmpty { return empty }
    // This component would be read as an empty one.
    if bytes == empty { return escape(bytes[0]) + bytes[1...] }
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      if isPlain(byte), escaped(bytes, at: index) == nil {
        encoded.append(byte)
      } else {
        encoded += escape(byte)
      }
    }
    return encoded
  }

  /// The component of a key whose encoded form this is; nil: there is none, because each component has only one form.
  static func decoded(_ part: some RandomAccessCollection<UInt8>) -> [UInt8]? {
    let bytes = Array(part)
    if bytes == empty { return [] }
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let byte = escaped(bytes, at: index) {
        decoded.append(byte)
        index += 4
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return encoded(decoded) == bytes ? decoded : nil
  }

  /// The byte that is written as `_xHH` at an index; nil: there is no such text.
  private static func escaped(_ bytes: [UInt8], at index: Int) -> UInt8? {
    guard index + 3 < bytes.count, bytes[index] == UInt8(ascii: "_"), bytes[index + 1] == UInt8(ascii: "x"),
      let high = digit(bytes[index + 2]), let low = digit(bytes[index + 3])
    else { return nil }
    return high << 4 | low
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return Array("_x".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
