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

  @Test("a nonisolated type's conformance is nonisolated, for modules whose default is the main actor")
  func isolation() throws {
    #expect(
      try expand("ReducerMacro", .extension, "nonisolated struct Foo {}")
        == "extension Outer.Foo: nonisolated HubReducers.Reducer {}")
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
      "enum Action { case a }", "\n  // comment\n  @Other enum Action {}",
      "@dynamicMemberLookup enum State {}",
    ])
  func casePathable(member: String) throws {
    #expect(try attribute(member) == "@HubReducers.CasePathable")
  }

  @Test("makes a state readable by case where it is an enum")
  func casesOfState() throws {
    let member = "public indirect enum State: Equatable { case a }"
    #expect(try attribute(member) == "@HubReducers.CasePathable @dynamicMemberLookup")
    #expect(try attribute("@CasePathable enum State { case a }") == "@dynamicMemberLookup")
  }

  @Test("fills in what a struct that does nothing leaves out")
  func fillIn() throws {
    #expect(
      try expand("ReducerMacro", .member, "@Reducer public struct Foo {}") == """
        public struct State: Swift.Codable, Swift.Hashable, Swift.Sendable {
          public init() {}
        }
        @HubReducers.CasePathable
        public enum Action: Swift.Hashable, Swift.Sendable {}
        public var body: HubReducers.EmptyReducer<State, Action> { HubReducers.EmptyReducer() }
        """)
    #expect(
      try expand("ReducerMacro", .member, "struct Foo<Action> { typealias State = Int }")
        == "var body: HubReducers.EmptyReducer<State, Action> { HubReducers.EmptyReducer() }")
  }

  @Test(
    "fills in nothing where the reducer says what it does",
    arguments: [
      "struct Foo { var body: some ReducerOf<Self> { A() } }",
      "struct Foo { let body = EmptyReducer<Int, Int>() }",
      "class Foo { func reduce(into state: inout Int, action: Int) -> Effect<Int> { .none } }",
      "struct Foo {\n#if DEBUG\n  var body: A { A() }\n#endif\n}",
    ])
  func noFillIn(source: String) throws {
    #expect(try expand("ReducerMacro", .member, source) == "")
  }

  @Test("makes one feature of the features of an enum's cases")
  func enumReducer() throws {
    let source = """
      @Reducer
      enum Screen {
        case a(A), b(B = B(1))
        #if DEBUG
          case c
        #endif
        @ReducerCaseIgnored
        case d(Int, size: Int)
        case e(AlertState<Question>)
      }
      """
    #expect(
      try expand("ReducerMacro", .extension, source, of: "Screen", lacks: ["Reducer", "CaseReducer"])
        == "extension Screen: HubReducers.Reducer, HubReducers.CaseReducer {}")
    #expect(
      try expand("ReducerMacro", .member, source) == #"""
        @HubReducers.CasePathable @dynamicMemberLookup
        enum State: HubReducers.CaseReducerState {
          typealias StateReducer = Screen
          case a(A.State)
          case b(B.State)
          #if DEBUG
          case c
          #endif
          case d(Int, size: Int)
          case e(AlertState<Question>)
        }
        @HubReducers.CasePathable
        enum Action {
          case a(A.Action)
          case b(B.Action)
          #if DEBUG
          #endif
          case e(AlertState<Question>.Action)
        }
        typealias Body = HubReducers.AnyReducer<Self.State, Self.Action>
        static var body: HubReducers.AnyReducer<Self.State, Self.Action> {
          HubReducers.AnyReducer(
            HubReducers.CombineReducers<Self.State, Self.Action, _> {
              HubReducers.EmptyReducer<Self.State, Self.Action>()
              HubReducers.Scope(state: \Self.State.Cases.a, action: \Self.Action.Cases.a) { A() }
              HubReducers.Scope(state: \Self.State.Cases.b, action: \Self.Action.Cases.b) { B(1) }
              #if DEBUG
              #endif
            }
          )
        }
        enum CaseScope {
          case a(HubReducers.StoreOf<A>)
          case b(HubReducers.StoreOf<B>)
          #if DEBUG
          case c
          #endif
          case d(Int, size: Int)
          case e(AlertState<Question>)
        }
        @Swift.MainActor
        static func scope(_ store: HubReducers.Store<Self.State, Self.Action>) -> CaseScope {
          switch store.state {
            case .a(let v0): return .a(store._scope(v0, state: \Self.State.Cases.a, action: \Self.Action.Cases.a))
            case .b(let v0): return .b(store._scope(v0, state: \Self.State.Cases.b, action: \Self.Action.Cases.b))
            #if DEBUG
            case .c: return .c
            #endif
            case .d(let v0, let v1): return .d(v0, size: v1)
            case .e(let v0): return .e(v0)
          }
        }
        """#)
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
      (
        "@Reducer actor Foo {}",
        "actor: '@Reducer' needs a struct, a class or an enum, and 'Foo' is of kind 'actor'"
      ),
      ("@Reducer func f() {}", "@: '@Reducer' needs a struct, a class or an enum"),
      (
        "@Reducer enum Foo { case a(Int, Int) }",
        """
        a: '@Reducer' needs cases with one feature each and no label: put '@ReducerCaseIgnored' before 'a' if its values \
        have no actions
        """
      ),
      (
        "@Reducer enum Foo { case a(x: A) }",
        """
        a: '@Reducer' needs cases with one feature each and no label: put '@ReducerCaseIgnored' before 'a' if its values \
        have no actions
        """
      ),
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
