// Mistakes in features and tests that the compiler has to name: each is compiled, and its message read.

import TestSupport
import Testing

@Suite("What the compiler says", .blocking)
struct MistakeTests {
  /// A feature, in whose body and members the mistakes are.
  private func feature(_ member: String, _ subscription: String = "") -> String {
    """
    import HubReducers
    import HubReducersSamples
    @Reducer struct Feature {
      struct State: Equatable { var id = 1 }
      enum Action { case task, text(String), number(Int) }
      \(member)
      var body: some ReducerOf<Self> {
        Reduce { _, _ in .none }
          \(subscription)
      }
    }
    """
  }

  @Test("what is right compiles")
  func right() async throws {
    let errors = try await Compiler.errors(
      in: feature(
        "@Dependency(\\.hub) var hub; @Dependency(NumberStore.self) var store",
        ".subscribe(to: store.value, on: \\.task, with: \\.number)"))
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test("`import HubClient` brings no name that another library's means, and what comes back needs none")
  func names() async throws {
    let names = [
      "Request", "Reply", "Value", "Frame", "Peer", "Epoch", "Lifetime", "Deadline", "Statistic", "Bookmark",
      "Backoff", "Decision", "Welcome", "Instant", "Durability", "NamePattern",
    ]
    let errors = try await Compiler.errors(
      in: """
        import HubClient
        import HubReducers
        import Other
        \(names.map { "func take(_: \($0)) { \($0)().others() }" }.joined(separator: "\n"))
        func use(_ hub: Hub) async throws(HubError) -> Bool {
          let status = try await hub.describe("a")
          let since: Hub.Instant = hub.now
          let peer: Hub.Peer? = try await hub.clients().first?.peer
          let value: HubValue = try await hub.anyValue("a").get()
          let schema = Schema(type: .integer, initial: .integer(3), durability: .synced)
          try await hub.create("b", schema, ifAbsent: true)
          return status.state.value == value && since < hub.now && peer?.uid == 0
        }
        """,
      beside: names.map { "public struct \($0) { public init() {}; public func others() {} }" }
        .joined(separator: "\n"),
      options: [
        "-enable-upcoming-feature", "MemberImportVisibility", "-enable-upcoming-feature",
        "InternalImportsByDefault",
      ])
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test(
    "a type that no store can hold is named, and so are values with a deadline",
    arguments: [
      ("hub.value(\"x\", of: Theme.self)", "must be Codable and Sendable"),
      ("hub.value(\"x\", of: Int.self).values(by: 2, deadline: .seconds(5))", "use events("),
    ])
  func values(expression: String, message: String) async throws {
    let errors = try await Compiler.errors(
      in: """
        import HubClient
        struct Theme {}
        func use(_ hub: Hub) {
          _ = \(expression)
        }
        """)
    #expect(errors.map(\.line) == [4], "\(errors)")
    #expect(errors.first?.message.contains(message) == true, "\(errors)")
  }

  @Test("features with children compile in a module whose default isolation is the main actor")
  func mainActor() async throws {
    let errors = try await Compiler.errors(
      in: """
        import HubReducers

        @Reducer
        nonisolated struct Row {
          @ObservableState
          nonisolated struct State: Equatable, Identifiable { let id: Int; var count = 0 }
          nonisolated enum Action { case tapped }
          var body: some ReducerOf<Self> {
            Reduce { state, _ in
              state.count += 1
              return .none
            }
          }
        }

        @Reducer
        nonisolated struct Rows {
          @ObservableState
          nonisolated struct State: Equatable {
            var rows: IdentifiedArrayOf<Row.State> = []
            var first = Row.State(id: 0)
          }
          nonisolated enum Action { case rows(IdentifiedActionOf<Row>), first(Row.Action), added(Int) }
          @Dependency(\\.hub) var hub
          var body: some ReducerOf<Self> {
            Scope(state: \\.first, action: \\.first) { Row() }
            Reduce { _, _ in .none }
              .forEach(\\.rows, action: \\.rows) { Row() }
              .subscribe(to: hub.value("a", of: Int.self), on: \\.first, with: \\.added)
          }
        }

        final class Model {
          let store = StoreOf<Rows>(initialState: Rows.State()) { Rows() }
          func tap() { store.send(.first(.tapped)) }
        }
        """, options: ["-default-isolation", "MainActor"])
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test(
    "an action with another payload than what is subscribed to is named",
    arguments: [
      (
        "var s: @Sendable () async -> AsyncStream<Int>", "s, on: \\.task", "has a payload of a different type"
      ),
      ("var s: @Sendable () -> AsyncStream<Int>", "s, on: \\.task", "has a payload of a different type"),
      ("var s: AsyncStream<Int>", "s, on: \\.task", "pass a function that makes"),
      (
        "var s: @Sendable (Int) -> AsyncStream<Int>", "s, using: \\.id, on: \\.task",
        "has a payload of a different type"
      ),
      ("var s: @Sendable () -> AsyncStream<Int>", "s, while: { $0.id > 1 }", "as 'SequenceSource(function)'"),
      ("var s: @Sendable (Int) -> AsyncStream<Int>", "s, while: { $0.id }", "as 'SequenceSource { ... }'"),
      (
        "@Dependency(\\.hub) var hub", "hub.value(\"x\", of: Int.self), on: \\.task",
        "has a payload of a different type"
      ),
      (
        "@Dependency(\\.hub) var hub", "hub.value(\"x\", of: Int.self), while: { $0.id > 1 }",
        "has a payload of a different type"
      ),
      (
        "@Dependency(\\.hub) var hub", "{ hub.value(\"x\\($0)\", of: Int.self) }, using: \\.id, on: \\.task",
        "has a payload of a different type"
      ),
      (
        "@Dependency(\\.hub) var hub", "{ hub.value(\"x\\($0)\", of: Int.self) }, while: { $0.id }",
        "whose elements are the payload"
      ),
      ("var s: @Sendable () async -> Int", "s, on: \\.task", "does not return an AsyncSequence"),
      (
        "var s: @Sendable (Int) -> AsyncStream<String>", "s, on: \\.task",
        "takes an argument: name that part of the state with 'using:'"
      ),
    ])
  func payload(member: String, arguments: String, message: String) async throws {
    let errors = try await Compiler.errors(
      in: feature(member, ".subscribe(to: \(arguments), with: \\.text)"))
    #expect(errors.map(\.line) == [9], "\(errors)")
    #expect(errors.first?.message.contains(message) == true, "\(errors)")
  }

  @Test(
    "a type that is not Sendable, and has to be, is named",
    arguments: [
      (
        "var s: @Sendable () async -> AsyncStream<Box>", "(to: s, on: \\.task, with: \\.box)",
        "type 'Box' does"
      ),
      (
        "var s: @Sendable (Box) -> AsyncStream<Int>", "(to: s, using: \\.box, on: \\.task, with: \\.number)",
        "type 'Box' does not conform to the 'Sendable' protocol"
      ),
      (
        "var s: () async -> AsyncStream<Int>", "(to: s, on: \\.task, with: \\.number)",
        "non-Sendable function"
      ),
      (
        "let box = Box(); var s: @Sendable () -> AsyncStream<Int>",
        "(to: s, on: \\.task) { send, n in await send(.number(n + box.number)) }",
        "non-Sendable type 'Feature'"
      ),
    ])
  func sendable(member: String, arguments: String, message: String) async throws {
    let source = feature(member, ".subscribe\(arguments)")
      .replacing("id = 1", with: "id = 1; var box = Box()").replacing(
        "case task", with: "case box(Box), task")
    let errors = try await Compiler.errors(
      in: "\(source)\nfinal class Box: Equatable { var number = 0; \(Self.equality) }")
    #expect(Set(errors.map(\.line)) == [9], "\(errors)")
    #expect(errors.first?.message.contains(message) == true, "\(errors)")
    // What the message asks for mends it.
    guard message.contains("Box") else { return }
    let mended = "\(source)\nfinal class Box: Equatable, Sendable { let number = 0; \(Self.equality) }"
    #expect(try await Compiler.errors(in: mended).isEmpty)
  }

  private static let equality = "static func == (a: Box, b: Box) -> Bool { a === b }"

  @Test(
    "a dependency that nobody has declared is named",
    arguments: [
      ("@Dependency(\\.nowhere) var nowhere", "no dependency has this name"),
      ("@Dependency(\\.nowhere) var nowhere: Int", "no dependency has this name"),
      ("@Dependency(\\.nowhere.near) var nowhere", "no dependency has this name"),
      ("@Dependency(State.self) var state", "conform to 'TestDependencyKey'"),
      ("func f() { withDependencies { $0.nowhere = 1 } operation: {} }", "has no member 'nowhere'"),
    ])
  func dependency(member: String, message: String) async throws {
    let errors = try await Compiler.errors(in: feature(member))
    #expect(errors.map(\.line) == [6], "\(errors)")
    #expect(errors.first?.message.contains(message) == true, "\(errors)")
  }

  @Test("the articles' own functions and clients meet no declarations of the library's")
  func articles() async throws {
    let source = """
      import HubReducers
      func combine<V, A>(_ reducers: (inout V, A) -> Void...) -> (inout V, A) -> Void {
        { value, action in for reducer in reducers { reducer(&value, action) } }
      }
      func pullback<L, G, A>(
        _ reducer: @escaping (inout L, A) -> Void, value: WritableKeyPath<G, L>
      ) -> (inout G, A) -> Void {
        { reducer(&$0[keyPath: value], $1) }
      }
      struct App { var count = 0 }
      func counter(_ value: inout Int, _ action: Int) { value += action }
      let app: (inout App, Int) -> Void = combine(pullback(counter, value: \\.count), pullback(counter, value: \\.count))
      """
    #expect(try await Compiler.errors(in: source).isEmpty)
    let forgotten = feature("@Dependency(\\.numberStore) var numberStore")
      .replacing("import HubReducersSamples\n", with: "")
    let errors = try await Compiler.errors(in: forgotten)
    #expect(errors.first?.message.contains("no dependency has this name") == true, "\(errors)")
  }

  @Test("receiving an action that cannot be compared is named")
  func receive() async throws {
    let errors = try await Compiler.errors(
      in: """
        import HubReducers
        import HubReducersTesting
        enum Action { case number(Int) }
        func test(_ store: TestStore<Int, Action>) async {
          await store.receive(.number(1)) { $0 = 1 }
        }
        """)
    #expect(errors.map(\.line) == [5])
    #expect(errors.first?.message.contains("the actions are not Equatable") == true, "\(errors)")
  }

  @Test("a public feature that holds more than dependencies, and is captured, is named")
  func publicFeature() async throws {
    let source = """
      import HubReducers
      @Reducer public struct Feature {
        public enum Action { case task }
        public typealias State = Int
        let limit: Int
        public var body: some ReducerOf<Self> { Reduce { _, _ in .run { _ in print(limit) } } }
      }
      """
    let errors = try await Compiler.errors(in: source)
    #expect(errors.map(\.line) == [6])
    #expect(errors.first?.message.contains("non-Sendable type 'Feature'") == true, "\(errors)")
    let mended = source.replacing("struct Feature {", with: "struct Feature: Sendable {")
    #expect(try await Compiler.errors(in: mended).isEmpty)
  }
}
