// How the files of vectors are written: JSON that a person can read, whose numbers no reader rounds.

package import HubCore

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self.init(.string(text)) }
  package init(booleanLiteral value: Bool) { self.init(.boolean(value)) }
  package init(integerLiteral value: Int64) { self = .number(value) }
  package init(arrayLiteral elements: JSONValue...) { self.init(.array(elements)) }
  package init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(members) }

  static let null = JSONValue(.null)

  static func text(_ text: String) -> JSONValue { JSONValue(.string(text)) }
  static func flag(_ value: Bool) -> JSONValue { JSONValue(.boolean(value)) }
  static func list(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }
  static func object(_ members: [(String, JSONValue)]) -> JSONValue {
    JSONValue(.object(members.map { JSONMember($0.0, $0.1) }))
  }

  /// A number, or its digits as a string if a reader of doubles would round it.
  static func number(_ value: some FixedWidthInteger) -> JSONValue {
    let exact = Int64(exactly: value).map { $0.magnitude <= 1 << 53 } ?? false
    return exact ? JSONValue(.number(JSONNumber(Int64(value)))) : text(String(value))
  }

  /// Bytes as hexadecimal digits.
  static func hex(_ bytes: some Sequence<UInt8>) -> JSONValue {
    let digits = Array("0123456789abcdef".utf8)
    return text(
      String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self))
  }

  /// The same object with further members, without those that are null.
  func adding(_ members: [(String, JSONValue?)]) -> JSONValue {
    guard case .object(let own) = content else { return self }
    return JSONValue(.object(own + members.compactMap { key, value in value.map { JSONMember(key, $0) } }))
  }

  // MARK: Layout

  private static let width = 118

  /// What fits into a line stands in one, the rest a member or element to a line.
  func laidOut(indent: Int = 0, used: Int = 0) -> String {
    let inline = inlined
    if indent + used + inline.utf8.count <= JSONValue.width { return inline }
    let margin = String(repeating: " ", count: indent + 2)
    let end = "\n" + String(repeating: " ", count: indent)
    switch content {
    case .array(let elements):
      let lines = elements.map { margin + $0.laidOut(indent: indent + 2) }
      return "[\n" + lines.joined(separator: ",\n") + end + "]"
    case .object(let members):
      let lines = members.map { member in
        let key = JSONWriter.quoted(member.key) + ": "
        return margin + key + member.value.laidOut(indent: indent + 2, used: key.utf8.count)
      }
      return "{\n" + lines.joined(separator: ",\n") + end + "}"
    default: return inline
    }
  }

  private var inlined: String {
    switch content {
    case .array(let elements): return "[" + elements.map(\.inlined).joined(separator: ", ") + "]"
    case .object(let members):
      return "{"
        + members.map { JSONWriter.quoted($0.key) + ": " + $0.value.inlined }.joined(separator: ", ") + "}"
    default:
      var writer = JSONWriter()
      writer.value(self)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }
}
