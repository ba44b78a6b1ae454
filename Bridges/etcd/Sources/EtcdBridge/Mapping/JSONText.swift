// Values as JSON texts. Reading a text gives the value that it was written from: doubles have a point or an exponent.

internal import FoundationEssentials
internal import HubClient

enum JSONText {
  /// Reads a text. Anything but a number, a boolean or a string stays JSON, byte for byte.
  static func value(_ bytes: Data, fitting type: ValueType?) throws(ValueMapping.Mismatch) -> HubValue {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .init(reason: "its value is not UTF-8")
    }
    guard JSONScanner.accepts(bytes) else { throw .init(reason: "its value is not JSON") }
    // A store of type json holds them all.
    if type == .json { return .json(text) }
    let own = scalar(text) ?? .json(text)
    if type == .double, let double = own.converted(to: .double) { return double }
    return own
  }

  /// Writes a value.
  static func bytes(_ value: HubValue) throws(ValueMapping.Mismatch) -> Data {
    switch value {
    case .integer, .boolean: return Data(value.description.utf8)
    case .double(let number): return Data(number.description.utf8)
    case .json(let text): return Data(text.utf8)
    case .string(let text):
      // Every Swift string can be encoded.
      return (try? JSONEncoder.plain.encode(text)) ?? Data()
    case .data:
      throw .init(reason: "JSON has no bytes: give it another value, or start the bridge with --values data")
    }
  }

  /// A number, boolean or string; nil: it is something else, or a number that none of the hub's types holds.
  private static func scalar(_ text: String) -> HubValue? {
    let word = text.trimmed
    switch word.utf8.first ?? 0 {
    case UInt8(ascii: "t"): return .boolean(true)
    case UInt8(ascii: "f"): return .boolean(false)
    case UInt8(ascii: "\""):
      return (try? JSONDecoder().decode(String.self, from: Data(word.utf8))).map { .string($0) }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      if word != "-0", let integer = Int64(word) { return .integer(integer) }
      let isExact = word.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
      // An integer of more than 64 bits is meant to be exact.
      if isExact, word != "-0" { return nil }
      return Double(word).flatMap { $0.isFinite ? .double($0) : nil }
    default: return nil
    }
  }
}

extension JSONEncoder {
  fileprivate static var plain: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return encoder
  }
}

extension String {
  /// Without the space that JSON has around values.
  fileprivate var trimmed: Substring {
    let isSpace = { (character: UInt8) in [32, 9, 10, 13].contains(character) }
    let bytes = utf8.drop(while: isSpace)
    let end = bytes.lastIndex { !isSpace($0) }.map { utf8.index(after: $0) } ?? bytes.startIndex
    return self[bytes.startIndex..<end]
  }
}
