// Mistakes in features and tests that the compiler has to name: each is compiled, and its message read.

import TestSupport
import Testing

@Suite("What the compiler says", .blocking)
struct MistakeTests {
  private func errors(in source: String) async throws -> [(line: Int, message: String)] {
    try await Compiler.errors(in: source)
  }

  /// A feature, in whose body and members the mistakes are.
  private func feature(_ member: String, _ subscription: String = "") -> String {
    """
    import HubReducers
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
    let errors = try await errors(
      in: feature(
        "@Dependency(\\.hub) var hub; @Dependency(NumberStore.self) var store",
        ".subscribe(to: store.value, on: \\.task, with: \\.number)"))
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test(
    "an action with another payload than what is subscribed to is named",
    arguments: [
      ("var s: @Sendable () async -> AsyncStream<Int>", "s, on: \\.task", "has a payload of another type"),
      ("var s: @Sendable () -> AsyncStream<Int>", "s, on: \\.task", "has a payload of another type"),
      ("var s: AsyncStream<Int>", "s, on: \\.task", "expected argument type"),
      (
        "var s: @Sendable (Int) -> AsyncStream<Int>", "s, using: \\.id, on: \\.task", "expected argument type"
      ),
      ("var s: @Sendable () -> AsyncStream<Int>", "s, while: { $0.id > 1 }", "expected argument type"),
      (
        "@Dependency(\\.hub) var hub", "hub.value(\"x\", of: Int.self), on: \\.task", "expected argument type"
      ),
      ("var s: @Sendable () async -> Int", "s, on: \\.task", "does not return an AsyncSequence"),
    ])
  func payload(member: String, arguments: String, message: String) async throws {
    let errors = try await errors(
      in: feature(member, ".subscribe(to: \(arguments), with: \\.text)"))
    #expect(errors.map(\.line) == [8], "\(errors)")
    #expect(errors.first?.message.contains(message) == true, "\(errors)")
  }

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
    let errors = try await errors(in: feature(member))
    #expect(errors.map(\.line) == [5], "\(errors)")
    #expect(errors.first?.message.contains(message) == true, "\(errors)")
  }

  @Test("receiving an action that cannot be compared is named")
  func receive() async throws {
    let errors = try await errors(
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
    let errors = try await errors(in: source)
    #expect(errors.map(\.line) == [6])
    #expect(errors.first?.message.contains("non-Sendable type 'Feature'") == true, "\(errors)")
    let mended = source.replacing("struct Feature {", with: "struct Feature: Sendable {")
    #expect(try await self.errors(in: mended).isEmpty)
  }
}
