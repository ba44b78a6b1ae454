// Owns the tests of cutting source into tokens.

import Testing

@testable import HubMacros

@Suite("The lexer")
struct LexerTests {
  /// The tokens' texts, without the end.
  private func texts(_ source: String) throws -> [String] {
    let list = try Lexer.tokens(of: source)
    return list.tokens.dropLast().map { list.text($0) }
  }

  private func kinds(_ source: String) throws -> [Token.Kind] {
    try Lexer.tokens(of: source).tokens.dropLast().map(\.kind)
  }

  @Test("cuts names, numbers and one symbol at a time")
  func words() throws {
    #expect(
      try texts("a->`b c` _x $0 _$id 1.5.y 0xFF_e") == [
        "a", "-", ">", "`b c`", "_x", "$0", "_$id", "1.5", ".", "y", "0xFF_e",
      ])
    #expect(try texts("été→b") == ["été", "→", "b"])
  }

  @Test("tells what stands between two tokens, comments included")
  func gaps() throws {
    let list = try Lexer.tokens(of: "a b/* { /* \" */ } */c // }\nd/*\n*/e\r\nf")
    #expect(list.tokens.dropLast().map { list.text($0) } == ["a", "b", "c", "d", "e", "f"])
    #expect(list.tokens.dropLast().map(\.gap) == [.none, .space, .space, .newline, .newline, .newline])
  }

  @Test(
    "takes a string for one token, whatever is in it",
    arguments: [
      #""""#, #""a \" } b""#, #""\\""#, ##"#"a " \" }"#"##, ##"#"\#(a + ")" + #"}"#)"#"##,
      ##"#"""#"##, #""\(a["}"], b: { "\(c)" /* ) */ })""#, "\"\"\"\n a \" \"\" }\n \\\"\"\"\n\"\"\"",
      "##\"\"\"\n \"\"\" \"\"\"# \\(x\n \"\"\"##", "\"\\(\n a\n)\"", "#\"\"#",
    ])
  func strings(literal: String) throws {
    #expect(
      try texts("x = \(literal) }".replacing(" }", with: " y")).contains(literal.replacing(" }", with: " y")))
    #expect(try texts("(\(literal))") == ["(", literal, ")"])
    #expect(try kinds(literal) == [.string])
  }

  @Test(
    "knows a regular expression from a division",
    arguments: [
      ("x = /[{\"]/", ["x", "=", "/[{\"]/"]), ("(/a\\/{/)", ["(", "/a\\/{/", ")"]),
      ("#/ a } /# b", ["#/ a } /#", "b"]), ("a / b / c", ["a", "/", "b", "/", "c"]),
      ("a/b/c", ["a", "/", "b", "/", "c"]), ("f(/, b)/c", ["f", "(", "/", ",", "b", ")", "/", "c"]),
      ("func /(a: A) { a/b }", ["func", "/", "(", "a", ":", "A", ")", "{", "a", "/", "b", "}"]),
      ("#/\n a \" /\n/#", ["#/\n a \" /\n/#"]),
    ])
  func regularExpressions(source: String, tokens: [String]) throws {
    #expect(try texts(source) == tokens)
  }

  @Test("tells conditional compilation from other words after a hash")
  func hashes() throws {
    #expect(
      try kinds("#if #elseif #else #endif #warning #file") == [
        .directive, .directive, .directive, .directive, .pound, .pound,
      ])
  }

  @Test(
    "says where something has no end",
    arguments: [
      ("a /* /* */", "this comment has no end", 2), ("a \"b\n\"", "this string has no closing quote", 2),
      ("\"\"\"\n a", "this string has no closing quote", 0),
      ("\"\\(a\"", "this string has no closing quote", 4),
      ("`a\n`", "this escaped name has no closing backtick", 0),
      ("#/a\n/#", "this regular expression has no closing delimiter", 0),
      ("a (b", "this bracket is never closed", 2), ("a ( ]", "this bracket has no opening bracket", 4),
      ("}", "this bracket has no opening bracket", 0),
    ])
  func failures(source: String, message: String, offset: Int) {
    #expect(throws: SyntaxFailure(message: message, offset: offset)) { try Lexer.tokens(of: source) }
  }

  @Test("refuses interpolations nested beyond its limit, instead of its stack")
  func deepInterpolations() {
    let source = String(repeating: "\"\\(", count: 10_000)
    #expect(throws: SyntaxFailure.self) { try Lexer.tokens(of: source) }
  }
}
