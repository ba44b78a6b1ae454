// Owns the tests of reading types.

import Testing

@testable import HubMacros

@Suite("The parser of types")
struct TypeParserTests {
  /// Reads one type from the start of `source`, and returns what is left.
  private func parse(_ source: String) throws -> (type: TypeNode, text: String, rest: String) {
    var cursor = Cursor(try Lexer.tokens(of: source))
    let type = try cursor.parseType()
    let rest = cursor.list.text(cursor.index..<cursor.limit)
    return (type, cursor.list.text(type.range), rest)
  }

  @Test(
    "reads a type up to its end",
    arguments: [
      "Int", "Swift.Int", "Int?", "Int??", "[Int]", "[String: [Int]]", "[3 of Int]", "Box<Int, [A<B>]>.C",
      "A<B<C<D>>>", "InlineArray<-1, Int>", "()", "(Int, y: String)", "(Int...) -> Void", "any P & Q",
      "some Collection<Int>", "Int.Type", "(any P).Type", "[Int].Index", "A::B", "repeat each T",
      "@Sendable () async throws(E<Int>) -> () -> Int?", "@convention(c) (Int) -> Void",
      "(inout Int, _ b: @autoclosure () -> Bool, c d: borrowing X) rethrows -> (Int, Int)",
      "nonisolated(nonsending) () async -> Void", "@isolated(any) @Sendable () -> Void", "~Copyable",
      "(a: Int, b: Int)?", "((Int) -> Void)?", "@MainActor (sending A) -> sending B", "Set<Int>!", "_",
    ])
  func types(source: String) throws {
    let (_, text, rest) = try parse(source + " = 1 > 2")
    #expect(text == source)
    #expect(rest == "= 1 > 2")
    // An operator may touch the type, and a line may end in it.
    #expect(try parse(source + "=1").text == source)
    #expect(try parse("\n" + source.replacing(" ", with: "\n") + "\n}".dropLast()).rest == "")
  }

  @Test("sees what a function takes, throws and returns")
  func functions() throws {
    let type = try parse("(@Sendable (_ id: Int, inout B, C...) async throws -> AsyncStream<Int>)").type
    let function = try #require(type.function)
    #expect(type.functionPrefixes == ["@Sendable"])
    #expect(function.parameters.map(\.secondName) == ["id", nil, nil])
    #expect(function.parameters.map(\.isVariadic) == [false, false, true])
    #expect(function.parameters[1].type.prefixes == ["inout"])
    #expect(function.isAsync)
    guard case .any = function.failure else { return #expect(Bool(false), "it throws any error") }
    guard case .named("AsyncStream", let arguments) = function.result.shape else {
      return #expect(Bool(false), "it returns a named type")
    }
    #expect(arguments.count == 1)
  }

  @Test("knows nothing, an optional, and errors that cannot be", arguments: ["", "Swift."])
  func wellKnownTypes(module: String) throws {
    #expect(try parse("\(module)Void").type.isVoid && parse("(())").type.isVoid)
    #expect(try parse("\(module)Optional<Int>").type.isOptional && parse("((Int?))").type.isOptional)
    #expect(try parse("() throws(\(module)Never) -> Int").type.function?.throwsNothing == true)
    #expect(try parse("() throws(any \(module)Error) -> Int").type.function?.throwsNothing == false)
  }

  @Test(
    "says what it cannot read",
    arguments: ["", "<#Int#>", "Int & ", "[Int", "(Int", "A<Int", "@ Int", "[A B]", "(A B)", "() throws Int"])
  func failures(source: String) throws {
    #expect(throws: SyntaxFailure.self) {
      var cursor = Cursor(try Lexer.tokens(of: source))
      _ = try cursor.parseType()
      guard cursor.isAtEnd else { throw cursor.failure("something is left") }
    }
  }

  @Test("refuses types nested beyond its limit, instead of its stack")
  func deepTypes() throws {
    for (open, close) in [("[", "]"), ("(", ")"), ("A<", ">"), ("() -> ", "")] {
      let source = String(repeating: open, count: 5_000) + "Int" + String(repeating: close, count: 5_000)
      var cursor = Cursor(try Lexer.tokens(of: source))
      #expect(throws: SyntaxFailure.self) { _ = try cursor.parseType() }
    }
  }
}

extension FunctionNode {
  fileprivate var throwsNothing: Bool { if case .never = failure { true } else { false } }
}
