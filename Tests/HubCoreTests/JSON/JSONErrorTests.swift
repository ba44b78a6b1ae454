// Owns what a JSON error says: its reason, its offset, line and column, and its wording.

import HubCore
import Testing

struct JSONErrorTests {
  @Test(
    "an error names the offset, line and column of what is wrong",
    arguments: [
      Fault("[1,\n  2,\n  x]", .unknownWord("x"), offset: 11, line: 3, column: 3),
      Fault("[\"é€𝄞\", ]", .unexpected("]", expected: .value), offset: 14, line: 1, column: 9),
      Fault(
        "[1,\r\n\r\n2 3]", .unexpected("3", expected: .commaOrClosingBracket), offset: 9, line: 3, column: 3),
      Fault("[1,\r\r2 3]", .unexpected("3", expected: .commaOrClosingBracket), offset: 7, line: 3, column: 3),
      Fault("\n\n", .unexpectedEnd(expected: .value), offset: 2, line: 3, column: 1),
      Fault("{\"a\":\n", .unexpectedEnd(expected: .value), offset: 6, line: 2, column: 1),
      Fault("{\"a\" 1}", .unexpected("1", expected: .colon), offset: 5, line: 1, column: 6),
      Fault("{", .unexpectedEnd(expected: .keyOrClosingBrace), offset: 1, line: 1, column: 2),
      Fault("{\"a\":1,}", .unexpected("}", expected: .key), offset: 7, line: 1, column: 8),
      Fault(
        "{\"a\":1 \"b\"}", .unexpected("\"", expected: .commaOrClosingBrace), offset: 7, line: 1, column: 8),
      Fault("{\"a\":1", .unexpectedEnd(expected: .commaOrClosingBrace), offset: 6, line: 1, column: 7),
      Fault("[", .unexpectedEnd(expected: .valueOrClosingBracket), offset: 1, line: 1, column: 2),
      Fault("[1", .unexpectedEnd(expected: .commaOrClosingBracket), offset: 2, line: 1, column: 3),
      Fault("1 €", .unexpected("€", expected: .endOfText), offset: 2, line: 1, column: 3),
      Fault("\"ab", .unexpectedEnd(expected: .closingQuote), offset: 3, line: 1, column: 4),
      Fault("\"ab\\", .unexpectedEnd(expected: .closingQuote), offset: 4, line: 1, column: 5),
      Fault("\"a\u{1}b\"", .controlCharacter(1), offset: 2, line: 1, column: 3),
      Fault("\"ab\\q\"", .invalidEscape("q"), offset: 3, line: 1, column: 4),
      Fault("\"\\€\"", .invalidEscape("€"), offset: 1, line: 1, column: 2),
      Fault("\"\\u12G4\"", .unexpected("G", expected: .hexadecimalDigit), offset: 5, line: 1, column: 6),
      Fault("\"\\u12", .unexpectedEnd(expected: .hexadecimalDigit), offset: 5, line: 1, column: 6),
      Fault("[007]", .leadingZero, offset: 1, line: 1, column: 2),
      Fault("[-007]", .leadingZero, offset: 1, line: 1, column: 2),
      Fault("[0x10]", .malformedNumber, offset: 1, line: 1, column: 2),
      Fault("[1.5.2]", .malformedNumber, offset: 1, line: 1, column: 2),
      Fault("[-]", .unexpected("]", expected: .digit), offset: 2, line: 1, column: 3),
      Fault("1.", .unexpectedEnd(expected: .digit), offset: 2, line: 1, column: 3),
      Fault("\u{FEFF}1", .byteOrderMark, offset: 0, line: 1, column: 1),
      Fault("'a'", .unexpected("'", expected: .value), offset: 0, line: 1, column: 1),
    ])
  func position(fault: Fault) {
    let error = #expect(throws: JSONError.self) { try JSON.validate(Array(fault.text.utf8).span) }
    #expect(error == fault.error)
  }

  @Test("invalid UTF-8 is reported at the first byte of the broken sequence, before any other fault")
  func encoding() {
    let error = #expect(throws: JSONError.self) {
      try JSON.validate(([0x5B, 0x5B, 0x0A, 0x22, 0xC3, 0xA9, 0xE2, 0x82, 0x22] as [UInt8]).span)
    }
    let place = JSONPosition(offset: 6, line: 2, column: 3)
    #expect(error == JSONError(reason: .invalidUTF8, position: place))
  }

  @Test("a long unknown word is quoted by its beginning")
  func longWord() {
    let text = String(repeating: "x", count: 100_000)
    let error = #expect(throws: JSONError.self) { try JSON.validate(Array(text.utf8).span) }
    #expect(error?.reason == .unknownWord(String(repeating: "x", count: 40)))
  }

  @Test(
    "an error reads as a sentence with its place",
    arguments: [
      ("[1,\n]", "line 2, column 1: unexpected ']', expected a value"),
      ("{\"a\"", "line 1, column 5: the text ends here, expected ':'"),
      ("[on]", "line 1, column 2: unknown word 'on', expected a value (text needs quotes)"),
      ("[\u{a0}]", "line 1, column 2: unexpected U+00A0, expected a value or ']'"),
      ("'a'", "line 1, column 1: unexpected an apostrophe, expected a value"),
      ("\"\t\"", "line 1, column 2: control character U+0009 in a string, expected an escape"),
    ])
  func words(text: String, message: String) {
    let error = #expect(throws: JSONError.self) { try JSON.validate(Array(text.utf8).span) }
    #expect(error?.description == message)
  }

  @Test(
    "nesting is bounded: a bomb of a million brackets is refused at the limit", arguments: ["[", "{\"a\":"])
  func depthBomb(bracket: String) {
    let bomb = Array(String(repeating: bracket, count: 1_000_000).utf8)
    for dialect in [JSONDialect.strict, .configuration] {
      let error = #expect(throws: JSONError.self) { try JSON.parse(bomb.span, dialect: dialect) }
      #expect(error?.reason == .tooDeep(limit: 128))
      #expect(error?.position.offset == 128 * bracket.utf8.count)
    }
    let error = #expect(throws: JSONError.self) { try JSON.validate(bomb.span) }
    #expect(error?.reason == .tooDeep(limit: 128))
  }

  @Test(
    "a caller may ask for less depth, and never gets more than 128",
    arguments: [
      (0, 0), (1, 1), (7, 7), (128, 128), (1000, 128), (-5, 0),
    ])
  func depthLimit(asked: Int, allowed: Int) throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)).utf8)
    }
    try JSON.validate(nested(allowed).span, depthLimit: asked)
    let error = #expect(throws: JSONError.self) {
      try JSON.validate(nested(allowed + 1).span, depthLimit: asked)
    }
    #expect(error?.reason == .tooDeep(limit: allowed))
  }

  @Test("the validator reads bytes in foreign memory, and none at all")
  func foreignMemory() throws {
    try Array("[1]".utf8).withUnsafeBytes { try JSON.validate($0) }
    let error = #expect(throws: JSONError.self) {
      try JSON.validate(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    #expect(error?.reason == .unexpectedEnd(expected: .value))
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    let text: String
    let error: JSONError
    var testDescription: String { text.debugDescription }

    init(_ text: String, _ reason: JSONError.Reason, offset: Int, line: Int, column: Int) {
      self.text = text
      error = JSONError(reason: reason, position: JSONPosition(offset: offset, line: line, column: column))
    }
  }
}
