// Owns the writing of values as JSON text: escapes, separators, spelling of numbers; it does not sort.

/// Writes JSON text by appending to ``bytes``, compactly and in one pass.
///
/// The writer adds separators. The caller balances `begin` and `end` and gives every value in an object its key. Several
/// values outside of any container are separated by ``newline()``, which makes JSON lines.
package struct JSONWriter: Sendable {
  /// The text so far: UTF-8.
  package private(set) var bytes: [UInt8]

  /// True if a comma must precede the next key or element.
  private var needsComma = false

  /// Starts after `bytes`.
  package init(appendingTo bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  package mutating func beginObject() { begin(ASCII.openBrace) }
  package mutating func endObject() { end(ASCII.closeBrace) }
  package mutating func beginArray() { begin(ASCII.openBracket) }
  package mutating func endArray() { end(ASCII.closeBracket) }

  /// Writes the key of the next value of an object.
  package mutating func key(_ name: String) {
    string(name)
    bytes.append(ASCII.colon)
    needsComma = false
  }

  package mutating func null() { token("null") }
  package mutating func boolean(_ value: Bool) { token(value ? "true" : "false") }
  package mutating func integer(_ value: Int64) { token(String(value)) }
  package mutating func number(_ value: JSONNumber) { token(value.text) }

  /// Writes the shortest digits that read back as the same double; `null`, as ECMAScript does, for an
  /// infinity or NaN.
  package mutating func double(_ value: Double) { token(value.isFinite ? value.description : "null") }

  /// Writes a string. Control characters (U+0000 to U+001F, and U+007F to U+009F, which a terminal might interpret) are
  /// escaped.
  package mutating func string(_ value: String) {
    separate()
    bytes.append(ASCII.quote)
    for scalar in value.unicodeScalars { append(scalar) }
    bytes.append(ASCII.quote)
  }

  /// `text` as a JSON string, quotes and escapes included: safe to show on one line.
  package static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Writes the base64 of `data` as a string.
  package mutating func data(_ data: [UInt8]) { token("\"" + Base64.encode(data) + "\"") }

  /// Writes text that is known to be one valid JSON value, byte for byte.
  package mutating func raw(_ text: some Sequence<UInt8>) {
    separate()
    bytes.append(contentsOf: text)
  }

  /// Writes a tree; the recursion is as deep as the tree.
  package mutating func value(_ value: JSONValue) {
    switch value.content {
    case .null: null()
    case .boolean(let value): boolean(value)
    case .number(let value): number(value)
    case .string(let value): string(value)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(member.key)
        self.value(member.value)
      }
      endObject()
    }
  }

  /// Ends a line: the next text is separate.
  package mutating func newline() {
    bytes.append(ASCII.lineFeed)
    needsComma = false
  }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func token(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func separate() {
    if needsComma { bytes.append(ASCII.comma) }
    needsComma = true
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": bytes.append(contentsOf: "\\\"".utf8)
    case "\\": bytes.append(contentsOf: "\\\\".utf8)
    case "\n": bytes.append(contentsOf: "\\n".utf8)
    case "\r": bytes.append(contentsOf: "\\r".utf8)
    case "\t": bytes.append(contentsOf: "\\t".utf8)
    case "\u{8}": bytes.append(contentsOf: "\\b".utf8)
    case "\u{C}": bytes.append(contentsOf: "\\f".utf8)
    case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}":
      let digits = String(scalar.value, radix: 16)
      bytes.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
    default:
      bytes.append(contentsOf: UTF8.encode(scalar)!)
    }
  }
}
