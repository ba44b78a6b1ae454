// Owns the tests of what @Reducer adds.

import Testing

@testable import HubMacros

@Suite("@Reducer")
struct ReducerMacroTests {
  private func attribute(_ member: String) throws -> String {
    try expand("ReducerMacro", .memberAttribute, member)
  }

  @Test("adds the conformance unless the type has it")
  func conformance() throws {
    let source = "\n@Reducer\nstruct Foo<T: Sendable> { }"
    #expect(try expand("ReducerMacro", .extension, source) == "extension Outer.Foo: HubReducers.Reducer {}")
    #expect(try expand("ReducerMacro", .extension, source, lacks: []) == "")
    let old = "@available(*, deprecated)\n@Reducer final class Foo {}"
    #expect(
      try expand("ReducerMacro", .extension, old)
        == "@available(*, deprecated)\nextension Outer.Foo: HubReducers.Reducer {}")
  }

  @Test(
    "makes a public struct Sendable that holds nothing but dependencies",
    arguments: [
      "public struct Foo {}", "public struct Foo<T> { public init() {} }",
      "public struct Foo { @Dependency(\\.hub) var hub; public var body: some ReducerOf<Self> { A() } }",
      "public struct Foo { static let all = 1; @HubReducers.Dependency(A.self) private var a\n func f() {} }",
    ])
  func sendable(source: String) throws {
    let conformances = "extension Outer.Foo: HubReducers.Reducer, Swift.Sendable {}"
    #expect(try expand("ReducerMacro", .extension, source) == conformances)
    #expect(
      try expand("ReducerMacro", .extension, source, lacks: ["Sendable"])
        == "extension Outer.Foo: Swift.Sendable {}")
    #expect(
      try expand("ReducerMacro", .extension, source, lacks: ["Reducer"])
        == "extension Outer.Foo: HubReducers.Reducer {}")
  }

  @Test("makes a struct in a public extension Sendable, too")
  func sendableInExtension() throws {
    let conformances = "extension Outer.Foo: HubReducers.Reducer, Swift.Sendable {}"
    #expect(
      try expand("ReducerMacro", .extension, "struct Foo {}", in: ["public extension Outer {}"])
        == conformances)
  }

  @Test(
    "leaves it to the program whether anything else is Sendable",
    arguments: [
      "struct Foo { @Dependency(\\.hub) var hub }", "public struct Foo { let step: Int }",
      "public struct Foo { var text = A() { didSet { } } }", "public final class Foo {}",
      "public struct Foo { @State var x: Int }", "public struct Foo: Sendable {}",
      "public struct Foo {\n#if DEBUG\n  var log: A\n#endif\n}",
    ])
  func notSendable(source: String) throws {
    let expansion = try expand("ReducerMacro", .extension, source)
    #expect(expansion == "extension Outer.Foo: HubReducers.Reducer {}")
  }

  @Test(
    "makes the actions and the state of a reducer case-pathable where they are enums",
    arguments: [
      "enum Action { case a }", "public indirect enum State: Equatable { case a }",
      "\n  // comment\n  @Other enum Action {}",
    ])
  func casePathable(member: String) throws {
    #expect(try attribute(member) == "@HubReducers.CasePathable")
  }

  @Test(
    "leaves other members alone",
    arguments: [
      "@CasePathable enum Action {}", "@HubReducers.CasePathable enum Action {}", "struct State {}",
      "enum Action: CasePathable {}", "enum Action: Sendable, HubReducers.CasePathable {}", "enum Other {}",
      "typealias Action = Other", "func body() {}", "case a", "let x = 1", "enum Action {",
      "var body: Never { fatalError() }", "var other: some ReducerOf<Self> { A() }",
      "var body: some ReducerOf<Self> { return A() }", "var body: any Reducer<A, B> { A() }",
      "@ReducerBuilder<A, B> var body: some Reducer<A, B> { A() }", "var body: some Reducer { A() }",
    ])
  func unchanged(member: String) throws {
    #expect(try attribute(member) == "")
  }

  @Test(
    "builds the body with the reducer's builder",
    arguments: [
      ("ReducerOf<Self>", "Self.State, Self.Action"), ("ReducerOf<A.B<C>>", "A.B<C>.State, A.B<C>.Action"),
      ("Reducer<State, Action>", "State, Action"), ("HubReducers.Reducer<[A], B<C, D>>", "[A], B<C, D>"),
    ])
  func body(type: String, arguments: String) throws {
    let source = "public var body: some \(type) {\n  Reduce { state, action in return .none }\n}"
    #expect(try attribute(source) == "@HubReducers.ReducerBuilder<\(arguments)>")
  }

  @Test(
    "rejects what cannot be a reducer",
    arguments: [
      ("@Reducer enum Foo {}", "enum: '@Reducer' needs a struct or a class, and 'Foo' is of kind 'enum'"),
      ("@Reducer func f() {}", "@: '@Reducer' needs a struct or a class"),
    ])
  func rejected(source: String, message: String) {
    #expect(rejections("ReducerMacro", .extension, source) == [message])
  }

  @Test("rejects a private struct in another type, which no extension can reach")
  func privateNesting() {
    #expect(
      rejections("ReducerMacro", .extension, "private struct Foo {}", in: ["enum Outer {}"]) == [
        "struct: '@Reducer' cannot extend 'Foo': 'Foo' is private, make it fileprivate"
      ])
  }
}
