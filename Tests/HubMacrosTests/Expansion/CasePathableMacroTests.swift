// Owns the tests of what @CasePathable adds, to the letter.

import Testing

@testable import HubMacros

@Suite("@CasePathable")
struct CasePathableMacroTests {
  private func members(_ source: String) throws -> String {
    try expand("CasePathableMacro", .member, source)
  }

  /// The property for the one case of `enum Foo { source }`.
  private func casePath(_ source: String) throws -> String {
    let lines = try members("@CasePathable enum Foo { \(source) }").split(separator: "\n").dropFirst()
      .dropLast(2)
    return lines.map { $0.dropFirst(2) }.joined(separator: "\n")
  }

  @Test("gives each case a path, with labels in the tuple of several values")
  func shape() throws {
    let source = """
      /// A comment {
      @CasePathable enum Foo {
        case bar
        case baz(Int), fizz(buzz: String)
        case fizzier(Int, buzzier: String)
      }  // }
      """
    #expect(
      try members(source) == """
        public nonisolated struct AllCasePaths: Swift.Sendable {
          public var bar: HubReducers.AnyCasePath<Foo, Swift.Void> {
            .init(
              "bar",
              embed: { .bar },
              extract: {
                guard case .bar = $0 else { return nil }
                return ()
              }
            )
          }
          public var baz: HubReducers.AnyCasePath<Foo, Int> {
            .init(
              "baz",
              embed: Foo.baz,
              extract: {
                guard case .baz(let v0) = $0 else { return nil }
                return v0
              }
            )
          }
          public var fizz: HubReducers.AnyCasePath<Foo, String> {
            .init(
              "fizz",
              embed: { .fizz(buzz: $0) },
              extract: {
                guard case .fizz(let v0) = $0 else { return nil }
                return v0
              }
            )
          }
          public var fizzier: HubReducers.AnyCasePath<Foo, (Int, buzzier: String)> {
            .init(
              "fizzier",
              embed: { .fizzier($0.0, buzzier: $0.1) },
              extract: {
                guard case .fizzier(let v0, let v1) = $0 else { return nil }
                return (v0, v1)
              }
            )
          }
        }
        public nonisolated static var allCasePaths: AllCasePaths { AllCasePaths() }
        """)
  }

  @Test(
    "writes the type of a value as the enum does, on one line",
    arguments: [
      ("a(Box<Self>?)", "Box<Foo>?"), ("a(Self.Child)", "Foo.Child"), ("a(x: /* { */ any P)", "any P"),
      ("a(_ x: Int)", "Int"), ("a(\n  [A:\n  B] // }\n)", "[A: B]"), ("a((Int, y: B))", "(Int, y: B)"),
      ("a(() -> Void = {})", "() -> Void"), ("a(_: A, _ b: B, `in`: C)", "(A, B, in: C)"),
      ("a(`c d`: A, `let`: B)", "(`c d`: A, `let`: B)"), ("a()", "Swift.Void"),
      ("a(x: Int = f(1, [2: \"}\"]), y: Int)", "(x: Int, y: Int)"),
      ("a(@Sendable (_ id: Int) async throws -> Void)", "@Sendable (_ id: Int) async throws -> Void"),
    ])
  func valueTypes(source: String, type: String) throws {
    #expect(
      try casePath("case \(source)").hasPrefix("public var a: HubReducers.AnyCasePath<Foo, \(type)> {\n"))
  }

  @Test("writes labels in a call without the backticks that would be warned about")
  func labels() throws {
    #expect(try casePath("case a(`in`: Int, `inout`: Int)").contains(".a(in: $0.0, `inout`: $0.1)"))
    #expect(try casePath("case `default`").contains("embed: { .`default` }"))
  }

  @Test("embeds a value that cannot exist without a warning")
  func never() throws {
    #expect(try casePath("case a(Never)").contains("embed: Foo.a,"))
  }

  @Test("keeps the conditional compilation and the availability of cases")
  func conditions() throws {
    let source = """
      @CasePathable enum Foo {
        #if DEBUG // }
        @available(*, deprecated, message: "}") @Other case a
        #else
          #if A || B
            case a, b
          #endif
        func f() {}
        #endif
      }
      """
    let heads = try members(source).split(separator: "\n").map { $0.drop { $0 == " " } }
      .filter { $0.hasPrefix("#") || $0.hasPrefix("@") || $0.hasPrefix("public var") }
    #expect(
      heads == [
        "#if DEBUG", "@available(*, deprecated, message: \"}\")",
        "public var a: HubReducers.AnyCasePath<Foo, Swift.Void> {", "#else", "#if A || B",
        "public var a: HubReducers.AnyCasePath<Foo, Swift.Void> {",
        "public var b: HubReducers.AnyCasePath<Foo, Swift.Void> {", "#endif", "#endif",
      ])
  }

  @Test("ignores everything that is not a case of its own")
  func others() throws {
    let source = #"""
      @CasePathable public indirect enum Foo<T>: P where T: Q {
        // case comment
        /* case block { */
        static let text = "case \("}") { " + #"case "# + """
          case multiline }
          """
        enum Inner { case inner(Int) }
        func f() { switch self { case .only: break } }
        case only(T)
      }
      """#
    let text = try members(source)
    #expect(text.contains("public var only: HubReducers.AnyCasePath<Foo, T>"))
    #expect(text.matches(of: /public var/).count == 1)
  }

  @Test("adds the conformance to the qualified type, with the availability of all around it")
  func conformance() throws {
    let source = "@available(macOS 14, *) @CasePathable enum Foo { case a }"
    let context = ["@available(*, deprecated)\nextension Outer {}", "func f() {}"]
    #expect(
      try expand("CasePathableMacro", .extension, source, in: context) == """
        @available(macOS 14, *)
        @available(*, deprecated)
        extension Outer.Foo: nonisolated HubReducers.CasePathable {}
        """)
    #expect(try expand("CasePathableMacro", .extension, source, lacks: []) == "")
  }

  @Test(
    "rejects what would become wrong code, where it stands",
    arguments: [
      ("@CasePathable struct Foo {}", "struct: '@CasePathable' needs an enum, and 'Foo' is of kind 'struct'"),
      ("@CasePathable var x: Int", "@: '@CasePathable' needs an enum"),
      (
        "enum Foo { case é, bar(Int), bar(x: Int) }",
        "bar: '@CasePathable' needs distinct case names: there is another case 'bar'"
      ),
      (
        "enum Foo { case a\n#if A\ncase `a`\n#endif\n}",
        "`a`: '@CasePathable' needs distinct case names: there is another case '`a`'"
      ),
      (
        "enum Foo: ~Copyable {}",
        "~: '@CasePathable' needs a copyable enum: a case path returns copies of values"
      ),
      ("enum Foo { case a(Int...) }", "I: a case path cannot hold a variadic value"),
      (
        "enum Foo { case a(@autoclosure () -> Int) }",
        "@: a case path cannot hold a value declared with '@autoclosure'"
      ),
      (
        "enum Foo { enum Foo {} }",
        "enum: '@CasePathable' cannot name the enum 'Foo' where a nested type hides it"
      ),
      (
        "enum Foo {\n#if A\n@available(*, deprecated)\n#endif\ncase a\n}",
        "a: '@CasePathable' cannot read '@available' inside '#if': put the whole case into the '#if'"
      ),
      (
        "enum Foo { case a( }",
        "}: '@CasePathable' cannot read this declaration: this bracket has no opening bracket"
      ),
      (
        "enum Foo { case a(<#Int#>) }",
        "<: '@CasePathable' cannot read this declaration: a type is expected here"
      ),
    ])
  func rejected(source: String, message: String) throws {
    #expect(rejections("CasePathableMacro", .extension, source) == [message])
    // The two roles are expanded apart: only one of them may report.
    #expect(try members(source) == "")
  }

  @Test("rejects a private enum in another type, which no extension can reach")
  func privateNesting() {
    let message = "'@CasePathable' cannot extend 'Foo': 'Foo' is private, make it fileprivate"
    let source = "private enum Foo {}"
    #expect(rejections("CasePathableMacro", .extension, source, in: ["struct S {}"]) == ["enum: \(message)"])
    #expect(rejections("CasePathableMacro", .extension, source) == [])
    #expect(rejections("CasePathableMacro", .extension, "enum Foo {}", in: ["private struct S {}"]) == [])
  }
}
