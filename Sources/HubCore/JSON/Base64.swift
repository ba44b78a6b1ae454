// Owns base64 (RFC 4648, section 4), the form of data values in JSON and configuration; it does not stream.

package enum Base64 {
  /// Why a text is not base64.
  package enum DecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The length is not a multiple of four: characters or padding are missing.
    case truncated
    /// A byte that is not in the alphabet, or padding before the end.
    case invalidCharacter(offset: Int)
    /// The last character has bits that no encoder sets, so two texts would stand for the same data.
    case nonCanonical

    package var description: String {
      switch self {
      case .truncated: "its length is not a multiple of four"
      case .invalidCharacter(let offset): "the character at offset \(offset) is not allowed there"
      case .nonCanonical: "its last character has unused bits set"
      }
    }
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The base64 of `data`, padded, in one line.
  package static func encode(_ data: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: (data.count + 2) / 3 * 4) { text in
      var length = 0
      for start in stride(from: 0, to: data.count, by: 3) {
        let count = min(3, data.count - start)
        var group: UInt32 = 0
        for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(data[start + offset]) : 0) }
        for offset in 0..<4 {
          text[length] = offset <= count ? alphabet[Int(group >> (18 - 6 * offset) & 63)] : padding
          length += 1
        }
      }
      return length
    }
  }

  /// The data that `text` encodes; accepts exactly what ``encode(_:)`` writes: padding, no spaces.
  package static func decode(_ text: String) throws(DecodingError) -> [UInt8] {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 4) else { throw .truncated }
    let padded = characters.suffix(2).reversed().prefix { $0 == padding }.count
    var data: [UInt8] = []
    data.reserveCapacity(characters.count / 4 * 3)
    var group: UInt32 = 0
    for (offset, character) in characters.dropLast(padded).enumerated() {
      guard let digit = digit(character) else { throw .invalidCharacter(offset: offset) }
      group = group << 6 | digit
      guard offset % 4 == 3 else { continue }
      data += [UInt8(group >> 16 & 255), UInt8(group >> 8 & 255), UInt8(group & 255)]
    }
    switch padded {
    case 1:
      guard group & 3 == 0 else { throw .nonCanonical }
      data += [UInt8(group >> 10 & 255), UInt8(group >> 2 & 255)]
    case 2:
      guard group & 15 == 0 else { throw .nonCanonical }
      data.append(UInt8(group >> 4 & 255))
    default:
      break
    }
    return data
  }

  private static func digit(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
