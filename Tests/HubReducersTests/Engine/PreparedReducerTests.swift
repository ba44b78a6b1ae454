// Tests that a store evaluates bodies once, and what it then still owes to each kind of reducer.

import HubReducers
import HubReducersTesting
import Testing

/// Counts how often its body is evaluated, and adds a dependency's number that the body has read.
private struct Feature: Reducer {
  struct State: Equatable { var sum = 0 }
  enum Action: Sendable { case add }

  let evaluations: Log<String>
  @Dependency(\.step) var step

  var body: some Reducer<State, Action> {
    let step = step
    let _ = evaluations.append("body")
    Reduce { state, _ in
      state.sum += step
      return .none
    }
  }
}

private enum StepKey: DependencyKey {
  static let liveValue = 1
  static let testValue = 1
}

extension DependencyValues {
  fileprivate var step: Int {
    get { self[StepKey.self] }
    set { self[StepKey.self] = newValue }
  }
}

@CasePathable
private enum ParentAction: Sendable { case child(Feature.Action) }

@Suite struct PreparedReducerTests {
  private let log = Log<String>()

  @Test("a store evaluates a body once, however many actions it gets")
  @MainActor
  func once() {
    let store = Store(initialState: Feature.State()) { Feature(evaluations: log) }
    for _ in 0..<3 { store.send(.add) }
    #expect(store.state.sum == 3 && log.entries == ["body"])
  }

  @Test("a reducer that nobody evaluated before runs on its own")
  func alone() {
    var state = Feature.State()
    _ = Feature(evaluations: log).reduce(into: &state, action: .add)
    #expect(state.sum == 1)
  }

  @Test("a body that reads a dependency is evaluated again when a test changes it")
  func dependencies() async {
    let store = TestStore(initialState: Feature.State()) { Feature(evaluations: log) }
    await store.send(.add) { $0.sum = 1 }
    store.dependencies.step = 10
    await store.send(.add) { $0.sum = 11 }
    #expect(log.entries == ["body", "body"])
  }

  @Test("a body is evaluated among the dependencies that its parent gives it")
  func overridden() async {
    let store = TestStore(initialState: Feature.State()) {
      CombineReducers {
        Feature(evaluations: log).dependency(\.step, 5)
        Feature(evaluations: log)
      }
    }
    await store.send(.add) { $0.sum = 6 }
  }

  @Test("children in scopes, options, lists and erased reducers are evaluated once, too")
  func children() async {
    struct State: Equatable {
      var child = Feature.State()
      var maybe: Feature.State? = Feature.State()
    }
    let store = TestStore(initialState: State()) {
      CombineReducers {
        Scope<State, ParentAction, _>(state: \.child, action: \.child) { Feature(evaluations: log) }
        EmptyReducer().ifLet(\.maybe, action: \.child) { AnyReducer(Feature(evaluations: log)) }
      }
    }
    for sum in 1...3 {
      await store.send(.child(.add)) {
        $0.child.sum = sum
        $0.maybe?.sum = sum
      }
    }
    #expect(log.entries == ["body", "body"])
  }
}
