// Tests dependencies that a test has not fully given: changing a part of one is no use of it, using it is reported
// where the program does.

import FoundationEssentials
import HubReducers
import HubReducersSamples
import HubReducersTesting
import Testing

/// Has a live value only.
private struct Greeter: DependencyKey {
  var greeting: @Sendable () -> String
  var farewell: @Sendable () -> String
  static var liveValue: Greeter { Greeter(greeting: { "hello" }, farewell: { "goodbye" }) }
}

extension DependencyValues {
  fileprivate var greeter: Greeter {
    get { self[Greeter.self] }
    set { self[Greeter.self] = newValue }
  }
}

@DependencyClient
private struct Fetcher: Sendable {
  var fetch: @Sendable () async throws -> Int
  var log: @Sendable (String) -> Void
}

extension Fetcher: TestDependencyKey {
  static var testValue: Fetcher { Fetcher() }
}

@Reducer
private struct Feature {
  struct State: Equatable { var text = "" }
  enum Action: Equatable, Sendable { case greet, log, fetch }

  static let greeterLine = #line + 1
  @Dependency(\.greeter) var greeter
  @Dependency(Fetcher.self) var fetcher

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .greet: state.text = greeter.greeting()
      case .log: fetcher.log("x")
      case .fetch: return .run { [fetcher] _ in _ = try? await fetcher.fetch() }
      }
      return .none
    }
  }

  static let effectLine = #line - 6
}

@Reducer
private struct Child {
  struct State: Equatable {}
  enum Action: Sendable { case task, number(Int), ask, answered(Result<Int?, any Error>) }

  @Dependency(\.numberStore) var numberStore

  static let subscriptionLine = #line + 2
  var body: some ReducerOf<Self> {
    EmptyReducer().subscribe(to: numberStore.value, on: \.task, with: \.number)
      .receive(on: \.ask, with: \.answered) { await numberStore.value().first { _ in true } }
  }
}

@Reducer
private struct Parent {
  struct State: Equatable { var child = Child.State() }
  enum Action: Sendable { case child(Child.Action) }
  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Child() } }
}

private let thisFile = "HubReducersTests/MissingDependencyTests.swift"

@Suite struct MissingDependencyTests {
  @Test("one member of a client with nothing but a live value can be overridden, in each way there is")
  func overridingAMember() async {
    let messages = await issues {
      withDependencies {
        $0 = $0.isolatedForTest()
        $0[Greeter.self].greeting = { "hi" }
      } operation: {
        @Dependency(\.greeter) var greeter
        #expect(greeter.greeting() == "hi")
      }
      let store = TestStore(initialState: Feature.State()) {
        Feature()
      } withDependencies: {
        $0.greeter.greeting = { "hi" }
      }
      await store.send(.greet) { $0.text = "hi" }
      store.dependencies.greeter.greeting = { "ho" }
      await store.send(.greet) { $0.text = "ho" }
      await store.withDependencies {
        $0.greeter.greeting = { "hey" }
      } operation: {
        _ = await store.send(.greet) { $0.text = "hey" }
      }
      let transformed = TestStore(initialState: Feature.State()) {
        Feature().transformDependency(\.greeter) { $0.greeting = { "yo" } }
      }
      await transformed.send(.greet) { $0.text = "yo" }
    }
    #expect(messages == [])
  }

  @Test(
    "one member of a client with nothing but a live value can be overridden by a trait",
    .dependencies { $0.greeter.greeting = { "hi" } })
  func overridingAMemberByTrait() {
    @Dependency(\.greeter) var greeter
    #expect(greeter.greeting() == "hi")
  }

  @Test("what the library brings is named as a test writes it")
  func advice() async {
    let reports = await reports {
      @Dependency(\.uuid) var uuid
      @Dependency(\.continuousClock) var clock
      _ = uuid()
      _ = clock
    }
    #expect(reports.map(\.message).contains { $0.hasSuffix("withDependencies: { $0.uuid = ... }.") })
    #expect(reports.map(\.message).contains { $0.contains("{ $0.continuousClock = TestClock() }") })
  }

  @Test("a missing value is reported where its wrapper stands, once per test")
  func place() async throws {
    let reports = await reports {
      let store = TestStore(initialState: Feature.State()) { Feature() }
      await store.send(.greet) { $0.text = "hello" }
      await store.send(.greet)
    }
    let report = try #require(reports.first)
    #expect(reports.count == 1)
    #expect(
      report.message
        == """
        In Feature: Greeter has no testValue, and a test used it. Override it in the test \
        (withDependencies: { $0[Greeter.self] = ... }), or give Greeter a testValue.
        """)
    #expect(report.fileID == thisFile)
    #expect(report.line == Feature.greeterLine)
  }

  @Test("a missing value is reported in each test, though its default is computed once")
  func everyTest() async {
    for _ in 1...2 {
      let reports = await reports {
        @Dependency(\.greeter) var greeter
        _ = greeter
      }
      #expect(reports.map(\.line) == [#line - 3])
    }
  }

  @Test("an endpoint that was not given is reported at the effect that used it, or at the test's line")
  func endpoints() async {
    var line = 0
    let reports = await reports {
      let store = TestStore(initialState: Feature.State()) { Feature() }
      await store.send(.fetch)
      line = #line + 1
      await store.send(.log)
    }
    #expect(reports.map(\.fileID) == [thisFile, thisFile])
    #expect(reports.map(\.line) == [Feature.effectLine, line])
    #expect(
      reports.first?.message
        == """
        Unimplemented: 'Fetcher.fetch' was called by an effect of HubReducersTests.Feature, but this client was \
        made without it. Give it a value, in a test by withDependencies: { $0[Fetcher.self].fetch = { ... } }.
        """)
    #expect(reports.last?.message.contains("'Fetcher.log' was called, but") == true)
  }

  @Test(
    "a subscription and a request that use an endpoint that was not given name their reducer, a child too")
  func subscription() async {
    let reports = await reports {
      let store = TestStore(initialState: Parent.State()) { Parent() }
      store.exhaustivity = .off
      await store.send(.child(.task))
      await store.send(.child(.ask))
      await store.finish()
    }
    #expect(reports.map(\.line) == [Child.subscriptionLine, Child.subscriptionLine + 1])
    for report in reports {
      let use = "'NumberStore.value' was called by an effect of HubReducersTests.Child, but"
      #expect(report.message.contains(use))
    }
  }

  @Test("what the library leaves open is reported in the program's file too")
  func libraryClients() async {
    var lines: [Int] = []
    let reports = await reports {
      let store = TestStore(initialState: 0) {
        Reduce<Int, Int> { _, action in
          @Dependency(\.numberStore) var numberStore
          @Dependency(\.analyticsClient) var analytics
          if action == 0 { return .run { _ in await numberStore.updateValue(1) } }
          analytics.sendAnalytics(.event(name: "x"))
          return .none
        }
      }
      lines = [#line - 5, #line + 2]
      await store.send(0)
      await store.send(1)
    }
    #expect(reports.map(\.fileID) == [thisFile, thisFile])
    #expect(reports.map(\.line) == lines)
  }
}

/// Nobody hands it to the next test.
@Suite("Dependencies by traits", .dependencies, .dependency(\.uuid, .incrementing))
struct DependencyTraitTests {
  private struct Word: TestDependencyKey {
    var text: String
    static var testValue: Word { Word(text: "none") }
  }

  @Test("are made for each test anew", arguments: 0..<3)
  func ownValue(_: Int) {
    @Dependency(\.uuid) var uuid
    #expect(uuid() == UUID(0))
    #expect(uuid() == UUID(1))
  }

  @Test("can be a value that is its own key", .dependency(Word(text: "one")))
  func ownKey() {
    @Dependency(Word.self) var word
    #expect(word.text == "one")
  }
}
