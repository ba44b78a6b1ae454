// Owns what the configuration dialect accepts beyond RFC 8259, and what it omits from JSON5.

import HubCore
import Testing

struct JSONConfigurationDialectTests {
  @Test(
    "each extension is accepted in a configuration, and refused in strict JSON",
    arguments: [
      ("// before\n[1, 2]", "[1,2]"),
      ("[1, /* between */ 2]", "[1,2]"),
      ("[1, 2] // after", "[1,2]"),
      ("[1, 2 /**/] /***/ /* / * */", "[1,2]"),
      ("[1//\r,2]", "[1,2]"),
      ("[1, 2,]", "[1,2]"),
      ("{\"a\": 1,\n}", #"{"a":1}"#),
      ("{a: 1, _b$9: 2, $: 3, null: 4}", #"{"a":1,"_b$9":2,"$":3,"null":4}"#),
      ("{'a': 'it \"is\"', \"b\": 'don\\'t'}", #"{"a":"it \"is\"","b":"don't"}"#),
      ("\"don\\'t\"", #""don't""#),
      ("\"one \\\nline, \\\r\nand \\\rmore\"", #""one line, and more""#),
      ("\u{FEFF}[]", "[]"),
    ])
  func extensions(text: String, meaning: String) throws {
    let parsed = try JSON.parse(Array(text.utf8).span, dialect: .configuration)
    #expect(try parsed == JSON.parse(Array(meaning.utf8).span))
    #expect(throws: JSONError.self) { try JSON.validate(Array(text.utf8).span) }
  }

  @Test(
    "JSON5 beyond the dialect is refused",
    arguments: [
      "[.5]", "[5.]", "[+5]", "[0x1F]", "[Infinity]", "[NaN]", "{é: 1}", "{\\u0061: 1}", "{1a: 2}",
      "{a-b: 1}",
      #"["\x41"]"#, #"["\v"]"#, #"["\0"]"#, "[\u{a0}1]", "[1\u{2028}]", "[,]", "[1,,]", "{,}", "{a: 1,,}",
      "[1, /* 2]", "[1] /*/", "[1] /", "[/]", "# a comment\n[]", "[hello]", "{a = 1}", "['a\nb']", "[1,]]",
    ])
  func refusals(text: String) {
    #expect(throws: JSONError.self) { try JSON.parse(Array(text.utf8).span, dialect: .configuration) }
  }

  @Test("a comment that is never closed is reported at the end of the text")
  func unclosedComment() {
    let error = #expect(throws: JSONError.self) {
      try JSON.parse(Array("[1,\n/* 2, 3]".utf8).span, dialect: .configuration)
    }
    let place = JSONPosition(offset: 12, line: 2, column: 9)
    #expect(error == JSONError(reason: .unexpectedEnd(expected: .endOfComment), position: place))
  }

  @Test("a key that stands twice is an error with both places; each is reported, and only in its own object")
  func duplicates() throws {
    let text = Array("{a: 1,\n 'b': {a: 2},\n \"a\": 3, b: 4}".utf8)
    let first = JSONError(
      reason: .duplicateKey("a", first: JSONPosition(offset: 1, line: 1, column: 2)),
      position: JSONPosition(offset: 22, line: 3, column: 2))
    let second = JSONError(
      reason: .duplicateKey("b", first: JSONPosition(offset: 8, line: 2, column: 2)),
      position: JSONPosition(offset: 30, line: 3, column: 10))

    #expect(throws: first) { try JSON.parse(text.span, dialect: .configuration) }
    var duplicates: [JSONError] = []
    let value = try JSON.parseConfiguration(text.span, duplicates: &duplicates)
    #expect(duplicates == [first, second])
    #expect(value["a"]?.content == .number(JSONNumber(1)))
  }

  @Test("strict JSON keeps duplicate keys, in their order")
  func strictDuplicates() throws {
    let value = try JSON.parse(Array(#"{"a":1,"a":2}"#.utf8).span)
    let members = [1, 2].map { JSONMember("a", JSONValue(.number(JSONNumber($0)))) }
    #expect(value.content == .object(members))
  }
}
