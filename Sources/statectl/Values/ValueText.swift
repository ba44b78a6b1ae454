// How values are shown: as they are, on one line, or as JSON.

internal import HubCore

enum ValueText {
  /// The value's own bytes: text as it is, data as it is.
  static func raw(_ value: Value) -> [UInt8] {
    switch value {
    case .data(let bytes): bytes
    case .string(let text), .json(let text): Array(text.utf8)
    case .integer, .double, .boolean: Array(value.description.utf8)
    }
  }

  /// The value on one line: control characters escaped, data as base64. JSON stays JSON: its line breaks can only
  /// be space between tokens.
  static func line(_ value: Value) -> String {
    switch value {
    case .string(let text): visible(text)
    case .json(let text): visible(String(decoding: text.utf8.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self))
    case .data(let bytes): Base64.encode(bytes)
    case .integer, .double, .boolean: value.description
    }
  }

  /// The value for a person's eyes: as `line`, but data as escaped text.
  static func shown(_ value: Value) -> String {
    guard case .data(let bytes) = value else { return line(value) }
    var text = ""
    var rest = bytes[...]
    var decoder = UTF8()
    // One scalar at a time: a byte that starts none is escaped by itself.
    while let first = rest.first {
      var iterator = rest.makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) {
        scalar.appendVisible(to: &text)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else {
        text += "\\x" + hex(UInt32(first), digits: 2)
        rest = rest.dropFirst()
      }
      decoder = UTF8()
    }
    return text
  }

  /// The beginning of a longer text, marked as cut.
  static func cut(_ text: String, _ width: Int) -> String {
    text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
  }

  /// Escapes, in JSON's form, characters that a terminal might interpret or hide: see `Unicode.Scalar.isHidden`.
  ///
  /// - Parameter keepingTabs: between columns.
  static func visible(_ text: String, keepingTabs: Bool = false) -> String {
    if !keepingTabs { return text.visible }
    return text.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).visible }
      .joined(separator: "\t")
  }

  /// The same for JSON, where such characters occur only in strings: it stays the same JSON. Line feeds stay.
  static func visible(json bytes: [UInt8]) -> [UInt8] {
    if bytes.allSatisfy({ $0 < 0x7F }) { return bytes }
    let text = String(decoding: bytes, as: UTF8.self)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 16)
    for scalar in text.unicodeScalars {
      if scalar.value >= 0x7F, scalar.isHidden {
        result += scalar.escape.utf8
      } else {
        result += UTF8.encode(scalar)!
      }
    }
    return result
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
