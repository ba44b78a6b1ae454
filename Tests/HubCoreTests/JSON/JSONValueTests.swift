// Owns what the parser makes of a text: the tree, the position of every node, numbers to the last digit.

import HubCore
import Testing

struct JSONValueTests {
  private func parse(_ text: String) throws -> JSONValue { try JSON.parse(Array(text.utf8).span) }

  @Test("every node and every key knows where it stands")
  func positions() throws {
    let value = try parse("{\n  \"é\": [true, null],\n  \"b\": {\"c\": \"x\"}, \"d\": -1 }")
    guard case .object(let members) = value.content, case .array(let elements) = members[0].value.content
    else {
      Issue.record("the tree has another shape: \(value)")
      return
    }
    let places = [
      value.position, members[0].keyPosition, members[0].value.position, elements[0].position,
      elements[1].position, members[1].keyPosition, members[1].value.position,
      members[1].value["c"]?.position, members[2].value.position,
    ]
    #expect(
      places.map { $0?.description } == [
        "line 1, column 1", "line 2, column 3", "line 2, column 8", "line 2, column 9", "line 2, column 15",
        "line 3, column 3", "line 3, column 8", "line 3, column 14", "line 3, column 25",
      ])
  }

  @Test(
    "escapes become the characters that they name",
    arguments: [
      (#""\u0041\u00e9\u20AC""#, "Aé€"),
      (#""\ud834\udd1e\uDBFF\uDFFF""#, "𝄞\u{10FFFF}"),
      (#""\"\\\/\b\f\n\r\t\u0000""#, "\"\\/\u{8}\u{c}\n\r\t\0"),
      (#""plain text, longer than one word\n€""#, "plain text, longer than one word\n€"),
      (#""""#, ""),
    ])
  func escapes(text: String, meaning: String) throws {
    let value = try parse(text)
    #expect(value.content == .string(meaning))
  }

  @Test(
    "a number without fraction or exponent that fits is an integer, to the last digit",
    arguments: [
      ("0", 0), ("-0", 0), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
      ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775808", nil),
      ("-9223372036854775809", nil),
      ("1.0", nil), ("1e3", nil),
    ] as [(String, Int64?)])
  func integers(text: String, integer: Int64?) throws {
    guard case .number(let number) = try parse(text).content else {
      Issue.record("\(text) is no number")
      return
    }
    #expect(number.text == text)
    #expect(number.integer == integer)
  }

  @Test(
    "a number's double is the nearest one, and none beyond the finite ones",
    arguments: [
      ("0.1", 0.1), ("1e3", 1000), ("-2.5E-3", -0.0025), ("9007199254740993", 9_007_199_254_740_992),
      ("1.7976931348623157e308", Double.greatestFiniteMagnitude), ("5e-324", Double.leastNonzeroMagnitude),
      ("1e-999", 0), ("1e309", nil), ("-1e309", nil), ("1e99999999999999999999", nil),
    ] as [(String, Double?)])
  func doubles(text: String, double: Double?) throws {
    guard case .number(let number) = try parse(text).content else {
      Issue.record("\(text) is no number")
      return
    }
    #expect(number.double == double)
  }

  @Test("the sign of a negative zero survives as a double")
  func negativeZero() throws {
    guard case .number(let number) = try parse("-0").content else { return }
    #expect(number.double?.sign == .minus)
  }

  @Test("equality looks at what values say, not at where they stand")
  func equality() throws {
    #expect(try parse(#"{"a":[1,"x"]}"#) == parse(" { \"a\" : [ 1 , \"\\u0078\" ] } "))
    #expect(try parse(#"{"a":[1,"x"]}"#).hashValue == parse(" { \"a\" : [ 1 , \"\\u0078\" ] } ").hashValue)
    #expect(try parse(#"{"a":1}"#) != parse(#"{"a":1.0}"#))
    #expect(try parse(#"{"a":1,"b":2}"#) != parse(#"{"b":2,"a":1}"#))
    #expect(try parse("[]") != parse("{}"))
  }
}
