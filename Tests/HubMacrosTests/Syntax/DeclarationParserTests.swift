// Owns the tests of reading declarations: where members begin and end, and what they are.

import Testing

@testable import HubMacros

@Suite("The parser of declarations")
struct DeclarationParserTests {
  /// What the members of `enum E { source }` are, in words.
  private func members(_ source: String) throws -> [String] {
    let (member, list) = try Cursor.parseDeclaration("@A /* { */ enum E {\n\(source)\n} // }")
    guard case .type(let type) = member else { return [] }
    var body = type.body
    return try body.parseMembers().flatMap { describe($0, list) }
  }

  private func describe(_ member: Member, _ list: TokenList) -> [String] {
    switch member {
    case .enumCases(let cases):
      cases.elements.map { element in
        let payload = element.payload.map { ($0.label.map { $0 + ": " } ?? "") + list.text($0.type.range) }
        return "case \(element.name)(\(payload.joined(separator: ", ")))"
      }
    case .variable(let variable):
      variable.bindings.map { binding in
        let type = binding.type.map { ": " + list.text($0.range) } ?? ""
        let value = binding.initialValue.map { " = " + list.text($0) } ?? ""
        return (binding.name ?? "()") + type + value + (binding.accessors == nil ? "" : " { }")
      }
    case .type(let type): ["\(type.keyword) \(type.name)"]
    case .conditional(let clauses):
      clauses.flatMap { [$0.line] + $0.members.flatMap { describe($0, list) } } + ["#endif"]
    case .attributes(let attributes): attributes.map(\.text)
    case .other: ["other"]
    }
  }

  @Test("reads cases with labels, raw values and default values")
  func cases() throws {
    #expect(
      try members(
        """
        case a, `in`(Int), c(x: Int, _ y: [A: B] , _: C,); indirect case d
        case e = "}", f = -1
        @available(*, deprecated, message: "case x") case g(
          f: (Int, Int) -> Bool = { $0 < $1 }, // ), h
          n: Int = Dictionary<Int, Int>().count, m: Bool = 1 < 2, k: Int = a<b, l: Int = a < b, o: P<Q>
        )
        """) == [
          "case a()", "case `in`(Int)", "case c(x: Int, [A: B], C)", "case d()", "case e()", "case f()",
          "case g(f: (Int, Int) -> Bool, n: Int, m: Bool, k: Int, l: Int, o: P<Q>)",
        ])
  }

  @Test("finds the end of an initial value, on its line or far below")
  func initialValues() throws {
    #expect(
      try members(
        """
        let a = 1, b = [1, 2], c: Int = { 3 }()
        var d = x
          .map { $0 }
          + 2
        var e = x!
        var f = .throw
        var g: Int? = y as?
          Int
        var h =
          if true { 1 }
          else { 2 }
        var i = a ? b :
          c
        var j: Int = 1 { didSet { } }
        var k: Int { 1 }
        var l: Int { willSet { } }
        var (m, n) = (1, 2); var o = \"\"\"
          }
          \"\"\"
        var p = foo
          #if DEBUG
            .bar { }
          #endif
        @Wrapped(1) private(set) var q: Q
        var r = try await s
        var t = A<B, C>.self, u = v < w
        """) == [
          "a = 1", "b = [1, 2]", "c: Int = { 3 }()", "d = x .map { $0 } + 2", "e = x!", "f = .throw",
          "g: Int? = y as? Int", "h = if true { 1 } else { 2 }", "i = a ? b : c", "j: Int = 1",
          "k: Int { }", "l: Int", "() = (1, 2)", "o = \"\"\"\n  }\n  \"\"\"",
          "p = foo #if DEBUG .bar { } #endif",
          "q: Q", "r = try await s", "t = A<B, C>.self", "u = v < w",
        ])
  }

  @Test("skips what it has no use for, braces and all")
  func others() throws {
    #expect(
      try members(
        #"""
        static func < (lhs: Self, rhs: Self) -> Bool { "case a { \("}")" == "" }
        func f<T>(
          case: T = T.self
        ) async throws(E) -> some P
        where T: P {
          case1: while true { /* } */ }
        }
        init?() {}
        deinit { }
        subscript(i: Int) -> Int { get { 1 } set { } }
        typealias T = @Sendable (Int)
          -> Void
        typealias U =
          Int
        #warning("case }")
        #macro(1) { case } trailing: { }
        @available(*, deprecated)
        class func g() {}
        static func / (a: A, b: A) -> A { a / b }
        associatedtype V
        nonisolated(unsafe) static var w = 1
        final class C<T>: D<[T]>, @unchecked Sendable where T: P { case x }
        case last
        """#) == Array(repeating: "other", count: 5) + ["other", "other", "other", "other"]
        + ["other", "other", "other", "w = 1", "class C", "case last()"])
  }

  @Test("reads conditional compilation, nested and around attributes")
  func conditionals() throws {
    #expect(
      try members(
        """
        #if DEBUG && (os(Linux) // comment
          || os(macOS))
        case a
        #if X
        case b
        #endif
        #elseif swift(>=6.0)
        var c: Int { 1 }
        #else
        #endif
        #if Y
        @available(*, deprecated)
        #endif
        case d
        """) == [
          "#if DEBUG && (os(Linux) || os(macOS))", "case a()", "#if X", "case b()", "#endif",
          "#elseif swift(>=6.0)", "c: Int { }", "#else", "#endif", "#if Y", "@available(*, deprecated)",
          "#endif", "case d()",
        ])
  }

  @Test(
    "says what it cannot read, and where",
    arguments: [
      ("case", "an enum case needs a name"), ("hello", "this declaration cannot be read here"),
      ("case a b", "this does not belong to the declaration before it"),
      ("#if A\ncase a", "this '#if' has no '#endif'"), ("#endif", "a declaration is expected here"),
      ("struct {}", "a type needs a name"), ("struct S", "a type needs a body in braces"),
      ("var x: Int = ", "an initial value is expected here"),
      ("case a(Int Int)", "this does not belong to a type"),
    ])
  func failures(source: String, message: String) {
    do {
      _ = try members(source)
      Issue.record("it was read")
    } catch {
      #expect((error as? SyntaxFailure)?.message == message)
    }
  }

  @Test("reads the head of a type")
  func heads() throws {
    let source = "@A(1) @B.C public final class `D`<T: P, each U>: E<T>, @unchecked Sendable where T: Q {}"
    guard case .type(let type) = try Cursor.parseDeclaration(source).0 else {
      return #expect(Bool(false), "it is a type")
    }
    #expect(type.attributes.map(\.name) == ["A", "C"])
    #expect(type.access == .public)
    #expect(type.name == "`D`")
    #expect(type.genericParameters == ["T", "U"])
    #expect(type.inherits("Sendable") && !type.inherits("P"))
  }

  @Test("reads the head of an extension of any type", arguments: ["A.B", "[Int]", "A<Int>?", "Array<A>.B"])
  func extensions(extended: String) throws {
    let source = "private extension \(extended): P {}"
    guard case .type(let type) = try Cursor.parseDeclaration(source).0 else {
      return #expect(Bool(false), "it is an extension")
    }
    #expect(type.name == extended && type.access == .private)
  }
}
