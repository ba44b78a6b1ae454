// docs/vectors/values.json: values as encoded, which bytes are no value, and which values are equal.

import HubCore
import TestSupport
import Testing

enum ValueVectors {
  private static let good: [Value] = [
    .integer(0), .integer(-1), .integer(.max), .integer(.min), .double(0), .double(-0.0), .double(0.1),
    .double(1e300), .double(.leastNonzeroMagnitude), .boolean(false), .boolean(true), .string(""),
    .string("Gr\u{FC}\u{DF}e"), .string("\u{0}"), .data([]), .data([0, 255, 128]), .json("null"),
    .json(" [1, 2.50] "),
    .json("{\"a\": 1, \"a\": 2}"), .json("\"\\ud83d\\ude00\""), .json("\"\\ud800\""),
    .json(String(repeating: "[", count: 128) + String(repeating: "]", count: 128)),
  ]

  /// Bytes that are no value, and the error for a `set` of them.
  private static let bad: [(String, [UInt8], HubError.Code)] = [
    ("no type", rawValue(0, []), .malformed), ("type 7", rawValue(7, []), .malformed),
    ("an integer of 4 bytes", rawValue(1, [1, 0, 0, 0]), .malformed),
    ("an integer of no bytes", rawValue(1, []), .malformed),
    ("a double of 9 bytes", rawValue(2, [UInt8](repeating: 0, count: 9)), .malformed),
    ("NaN", rawValue(2, littleEndian(Double.nan.bitPattern)), .malformed),
    ("infinity", rawValue(2, littleEndian(Double.infinity.bitPattern)), .malformed),
    ("a boolean 2", rawValue(3, [2]), .malformed), ("a boolean of 2 bytes", rawValue(3, [1, 0]), .malformed),
    ("a length beyond the frame", [4, 0xFF, 0xFF, 0xFF, 0xFF, 0x61], .malformed),
    ("a length of 3 bytes", [5, 0, 0, 0], .malformed),
    ("a string that is not UTF-8", rawValue(4, [0xFF]), .invalidValue),
    ("a string that ends within a character", rawValue(4, [0x61, 0xC3]), .invalidValue),
    ("an overlong form in a string", rawValue(4, [0xC0, 0x80]), .invalidValue),
    ("JSON of no text", json(""), .invalidValue), ("JSON of two values", json("1 2"), .invalidValue),
    ("a comma too much in JSON", json("[1,]"), .invalidValue),
    ("a comment in JSON", json("1 // one"), .invalidValue),
    ("NaN in JSON", json("NaN"), .invalidValue),
    ("a byte order mark in JSON", json("\u{FEFF}1"), .invalidValue),
    ("JSON that is not UTF-8", rawValue(6, [0x22, 0xFF, 0x22]), .invalidValue),
    (
      "JSON of 129 levels", json(String(repeating: "[", count: 129) + String(repeating: "]", count: 129)),
      .invalidValue
    ),
  ]

  private static func json(_ text: String) -> [UInt8] { rawValue(6, Array(text.utf8)) }

  /// Two values, whether they are equal, and the second converted to the first one's type, if possible.
  private static let pairs: [(Value, Value, Bool)] = [
    (.integer(1), .integer(1), true), (.integer(1), .double(1), false), (.double(0), .double(-0.0), false),
    (.string("a"), .data([0x61]), false), (.json("[1]"), .json("[ 1]"), false),
    (.string("\u{FC}"), .string("u\u{308}"), false), (.boolean(true), .integer(1), false),
  ]

  private static let integers: [Int64] = [0, -7, 1 << 53, 1 << 53 + 1, .max, .min]

  static var json: JSONValue {
    func encoded(_ value: Value) -> [UInt8] { rawValue(value.type.rawValue, value.bytes) }
    for (about, bytes, code) in bad {
      let frame = raw(.set, short("a") + bytes)
      #expect(Message.decoded(frame).failure?.code == code, "\(about)")
    }
    for value in good {
      let frame = raw(.set, short("a") + encoded(value))
      let expected = Message.request(.write(.set("a", value)), id: Exchange.request)
      #expect((try? Message.decoded(frame).get()) == expected, "\(value)")
      #expect(expected.frame == frame)
    }
    for (a, b, equal) in pairs { #expect((a == b) == equal, "\(a) and \(b)") }
    return [
      "values": .list(good.map { JSONValue.value($0).adding([("bytes", .hex(encoded($0)))]) }),
      "noValues": .list(
        bad.map { ["about": .text($0.0), "hex": .hex($0.1), "error": .text("\($0.2)")] }),
      "equality": .list(
        pairs.map { ["a": .hex(encoded($0.0)), "b": .hex(encoded($0.1)), "equal": .flag($0.2)] }),
      "integersAsDoubles": .list(
        integers.map { integer in
          let double = Value.integer(integer).converted(to: .double)
          #expect((double != nil) == (Double(exactly: integer) != nil))
          return ["integer": .number(integer), "double": double.map { .hex(encoded($0)) } ?? .null]
        }),
    ]
  }
}
