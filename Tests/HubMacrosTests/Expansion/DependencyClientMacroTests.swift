// Owns the tests of what @DependencyClient adds.

import Testing

@testable import HubMacros

@Suite("@DependencyClient")
struct DependencyClientMacroTests {
  private func members(_ source: String, in context: [String] = []) throws -> String {
    try expand("DependencyClientMacro", .member, "@DependencyClient " + source, in: context)
  }

  /// The parameters of the initialiser.
  private func parameters(_ properties: String) throws -> [String] {
    let lines = try members("struct Client {\n\(properties)\n}").split(separator: "\n")
    return lines.drop { $0 != "init(" }.dropFirst().prefix { $0 != ") {" }.map {
      String($0.drop { $0 == " " })
    }
  }

  @Test("makes every closure optional, and one that is missing reports its name")
  func shape() throws {
    #expect(
      try members(
        """
        struct Store: Sendable {
          var value: @Sendable () async -> AsyncStream<Int>
          var set: @Sendable (Int, inout String) async throws -> Void
          var limit: @Sendable (Int) -> Int = { $0 }
          let id: Int
        }
        """) == """
          init(
            value: (@Sendable () async -> AsyncStream<Int>)? = nil,
            set: (@Sendable (Int, inout String) async throws -> Void)? = nil,
            limit: (@Sendable (Int) -> Int)? = nil,
            id: Int
          ) {
            if let value {
              self.value = value
            } else {
              self.value = {
                HubReducers.Unimplemented.report("Store.value")
                return AsyncStream<Int> { $0.finish() }
              }
            }
            if let set {
              self.set = set
            } else {
              self.set = { _, _ in
                HubReducers.Unimplemented.report("Store.set")
                throw HubReducers.Unimplemented("Store.set")
              }
            }
            if let limit {
              self.limit = limit
            } else {
              let placeholder = self.limit
              self.limit = {
                HubReducers.Unimplemented.report("Store.limit")
                return placeholder($0)
              }
            }
            self.id = id
          }
          """)
  }

  @Test(
    "ends a missing closure with what its type allows",
    arguments: [
      ("() -> Void", ""), ("() async -> ()", ""), ("() -> Int?", "return nil"),
      ("() throws -> Int", "throw HubReducers.Unimplemented(\"Client.f\")"),
      ("() throws(any Error) -> Int", "throw HubReducers.Unimplemented(\"Client.f\")"),
      ("() -> Swift.Optional<Int>", "return nil"),
      ("() -> AsyncStream<A>", "return AsyncStream<A> { $0.finish() }"),
      (
        "() -> AsyncThrowingStream<A, any Error>",
        "return AsyncThrowingStream<A, any Error> { $0.finish(throwing: HubReducers.Unimplemented(\"Client.f\")) }"
      ),
    ])
  func unimplementedResults(type: String, statement: String) throws {
    let text = try members("struct Client { var f: \(type) }")
    let lines = text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
    let report = try #require(lines.firstIndex { $0.contains("Unimplemented.report") })
    #expect(lines[report + 1] == (statement.isEmpty ? "}" : statement))
  }

  @Test("takes values as they are declared")
  func values() throws {
    #expect(
      try parameters(
        """
        let a: A, b = 1
        var c = 1, d = 1.5, e = "}", f = true
        var g: G = .init(1, 2), h: H?
        let i: @Sendable () -> Int
        var j: @Sendable () -> Int = function
        var k: Alias, l: [A: B]! = [:]
        private var m = 1
        lazy var n = 2
        static var o: O
        var p: P { 1 }
        var q: Q = 1 { didSet {} }
        @Wrapper(\\.path) var r
        @Wrapped var s: S
        var t, u: T
        struct V { var w: W }
        let (x, y) = (1, 2)
        """) == [
          "a: A,", "c: Swift.Int = 1,", "d: Swift.Double = 1.5,", "e: Swift.String = \"}\",",
          "f: Swift.Bool = true,", "g: G = .init(1, 2),", "h: H? = nil,", "i: @escaping @Sendable () -> Int,",
          "j: @escaping @Sendable () -> Int = function,", "k: Alias,", "l: [A: B]! = [:],", "q: Q = 1,",
          "s: S,", "t: T,", "u: T",
        ])
  }

  @Test("gives a closure with named parameters a method with labels")
  func methods() throws {
    let text = try members(
      """
      struct Client {
        public var fetch: @MainActor @Sendable (_ id: Int, B, _ `in`: inout C) async throws(E) -> D = { fatalError() }
        var go: (_ body: @autoclosure () -> Int) -> Void
        var none: (Int) -> Void
      }
      """)
    #expect(
      text.hasSuffix(
        """
        @MainActor public func fetch(id p0: Int, _ p1: B, in p2: inout C) async throws(E) -> D {
          try await self.fetch(p0, p1, &p2)
        }
        func go(body p0: @autoclosure () -> Int) -> Void {
          self.go(p0())
        }
        """))
    #expect(text.contains("self.fetch = { (p0, p1, p2) async throws(E) in"))
    #expect(text.contains("return try await placeholder(p0, p1, &p2)"))
  }

  @Test(
    "makes the initialiser as visible as the struct and its least visible property",
    arguments: [
      ("public struct C { public var f: () -> Void }", [], "public init("),
      ("public struct C { var f: () -> Void }", [], "init("),
      ("public struct C { package var f: () -> Void; private var g = 1 }", [], "package init("),
      ("public struct C { public var f: () -> Void; private let g: Int }", [], "private init("),
      ("public struct C { public private(set) var f: () -> Void }", [], "public init("),
      ("struct C { public var f: () -> Void }", [], "init("),
      ("private struct C { var f: () -> Void }", [], "init("),
      ("struct C { public var f: () -> Void }", ["public extension D {}"], "public init("),
      ("struct C { public var f: () -> Void }", ["public enum D {}"], "init("),
      ("public struct C {}", [], "public init() {}"),
    ])
  func access(source: String, context: [String], head: String) throws {
    #expect(try members(source, in: context).hasPrefix(head))
  }

  @Test(
    "rejects what it would have to guess, where it stands",
    arguments: [
      (
        "struct C { var f: () -> Int, g: (A) -> Never }",
        [
          "f: () -> Int: '@DependencyClient' cannot make up a result for 'f': ",
          "g: (A) -> Never: '@DependencyClient' cannot make up a result for 'g': ",
        ]
      ),
      ("struct C { var f: () throws(E) -> Void? }", []),
      (
        "struct C { var f: () throws(E) -> Int }",
        ["f: () throws(E) -> Int: '@DependencyClient' cannot make up"]
      ),
      (
        "struct C { var x = Foo() }",
        ["x = Foo(): '@DependencyClient' needs the type of 'x' for its initialiser"]
      ),
      ("struct C { var (a, b): (Int, Int) }", ["(: '@DependencyClient' cannot initialise a tuple pattern"]),
      (
        "struct C {\n#if A\nvar x: Int\n#endif\n}",
        ["x: '@DependencyClient' cannot have a parameter for 'x': "]
      ),
      ("struct C {\n#if A\nstatic var x: Int\n#endif\n}", []),
      (
        "struct C { var f: (Int...) -> Void = { } }",
        ["f: (Int...) -> Void = { }: '@DependencyClient' cannot forward"]
      ),
      (
        "struct C<each T> { var f: (repeat each T) -> Void }",
        ["f: (repeat each T) -> Void: '@DependencyClient' cannot"]
      ),
      ("class C {}", ["class: '@DependencyClient' needs a struct, and 'C' is of kind 'class'"]),
      (
        "struct C { var f: ( }",
        ["}: '@DependencyClient' cannot read this declaration: this bracket has no opening bracket"]
      ),
    ])
  func rejected(source: String, messages: [String]) {
    let found = rejections("DependencyClientMacro", .member, source)
    #expect(found.count == messages.count)
    for (found, message) in zip(found, messages) { #expect(found.hasPrefix(message)) }
  }

  @Test("offers the default value that is missing")
  func fixes() throws {
    let source = "struct C { var é: (A, B) -> [Int] }"
    do {
      _ = try expand("DependencyClientMacro", .member, source)
      Issue.record("it was expanded")
    } catch {
      let fix = try #require(error.diagnostics.first?.fix)
      #expect(fix.insertion == " = { _, _ in <#[Int]#> }")
      #expect(source.utf8.dropFirst(fix.offset).elementsEqual(" }".utf8))
    }
  }
}
