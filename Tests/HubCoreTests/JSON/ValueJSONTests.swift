// Values in JSON, both ways, for the configuration, dumps, `--json` and `inspect`.

import Testing

@testable import HubCore

@Suite struct ValueJSONTests {
  private static let values: [Value] = [
    .integer(0), .integer(.min), .integer(.max), .double(0.1), .double(-0.0), .double(1e300), .double(3),
    .boolean(true), .boolean(false), .string(""), .string("a\u{1}\u{85}\"\\\n\u{1F600}"), .data([]),
    .data([0, 255, 7]),
    .json("null"), .json(" {\"b\": [1, 2.50],\n \"a\": 1}\n"),
  ]

  private func text(_ value: Value, _ nested: NestedJSON) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(value, json: nested)
    return writer.bytes
  }

  @Test("every value comes back from its JSON; JSON as text keeps every byte")
  func roundTrip() throws {
    #expect(Set(Self.values.map(\.type)) == Set(ValueType.allCases), "the test has to see every type")
    for value in Self.values {
      let json = try JSON.parse(text(value, .asText).span)
      #expect(try Value(json, as: value.type, json: .asText) == value)
    }
  }

  @Test("JSON as a value stands in one line, and is read in one spelling")
  func nested() throws {
    let value = Value.json(" {\"b\": [1, 2.50],\n \"a\": 1}\n")
    #expect(String(decoding: text(value, .asValue), as: UTF8.self) == " {\"b\": [1, 2.50],  \"a\": 1} ")
    let json = try JSON.parse(text(value, .asValue).span)
    #expect(try Value(json, as: .json, json: .asValue) == .json("{\"a\":1,\"b\":[1,2.50]}"))
    for type in ValueType.allCases where type != .json {
      let value = try #require(Self.values.first { $0.type == type })
      let json = try JSON.parse(text(value, .asValue).span)
      #expect(try Value(json, as: type, json: .asValue) == value)
    }
  }

  private func mismatch(_ text: String, _ type: ValueType, _ nested: NestedJSON) throws -> Value.Mismatch? {
    let json = try JSON.parse(Array(text.utf8).span)
    do throws(Value.Mismatch) {
      _ = try Value(json, as: type, json: nested)
      return nil
    } catch {
      return error
    }
  }

  @Test("what is no value of a type says what it would have to be")
  func mismatches() throws {
    let cases: [(String, ValueType, NestedJSON, Value.Mismatch)] = [
      ("1.0", .integer, .asText, .unexpected("a 64-bit integer")),
      ("9223372036854775808", .integer, .asText, .unexpected("a 64-bit integer")),
      ("\"1\"", .integer, .asText, .unexpected("an integer")),
      ("9007199254740993", .double, .asText, .unexpected("a number that a double can hold")),
      ("1e999", .double, .asValue, .unexpected("a number that a double can hold")),
      ("null", .double, .asText, .unexpected("a number")),
      ("1", .boolean, .asText, .unexpected("true or false")),
      ("1", .string, .asText, .unexpected("a string")),
      ("[1]", .data, .asText, .unexpected("a base64 string")),
      ("\"AAA\"", .data, .asText, .base64(.truncated)),
      ("1", .json, .asText, .unexpected("a string that holds JSON")),
    ]
    for (text, type, nested, expected) in cases {
      #expect(try mismatch(text, type, nested) == expected, "\(text) as \(type)")
    }
    guard case .text? = try mismatch("\"[1,]\"", .json, .asText) else {
      Issue.record("broken JSON is taken")
      return
    }
    #expect(try mismatch("\"[1,]\"", .json, .asValue) == nil)
  }
}
