// Tests reactions to a part of the state having changed.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Feature {
  struct State: Equatable {
    var text = ""
    var other = 0
    var history: [String] = []
    var changes = 0
  }

  enum Action: Equatable, Sendable {
    case type(String)
    case other
    case changed(String)
  }

  var body: some ReducerOf<Self> {
    CombineReducers {
      Reduce { state, action in
        if case .type(let text) = action { state.text = text }
        return .none
      }
      Reduce { state, action in
        if case .other = action { state.other += 1 }
        return .none
      }
    }
    .onChange(of: \.text) { oldValue, newValue in
      Reduce { state, _ in
        state.history.append("\(oldValue)>\(newValue)")
        return .send(.changed(newValue))
      }
    }
    .onChange(of: \.history.count) { _, state in
      state.changes += 1
      return .none
    }
  }
}

/// Takes over what is typed.
private struct Typing: Reducer {
  func reduce(into state: inout Feature.State, action: Feature.Action) -> Effect<Feature.Action> {
    if case .type(let text) = action { state.text = text }
    return .none
  }
}

@Suite struct OnChangeTests {
  @Test("it runs when the value changed, with both values, and may have effects and change more")
  func changes() async {
    let store = TestStore(initialState: Feature.State()) { Feature() }
    await store.send(.type("a")) {
      $0.text = "a"
      $0.history = [">a"]
      $0.changes = 1
    }
    await store.receive(.changed("a"))
    await store.send(.type("b")) {
      $0.text = "b"
      $0.history = [">a", "a>b"]
      $0.changes = 2
    }
    await store.receive(.changed("b"))
  }

  @Test("it stays quiet when the value is equal or something else changed")
  func quiet() async {
    let store = TestStore(initialState: Feature.State(text: "a")) { Feature() }
    await store.send(.type("a"))
    await store.send(.other) { $0.other = 1 }
  }

  @Test("it can be told which values are the same")
  func ownComparison() async {
    let reducer = Typing().onChange(of: \.text, removeDuplicates: { $0.count == $1.count }) { old, new in
      Reduce { state, _ in
        state.history.append("\(old)>\(new)")
        return .none
      }
    }
    let store = TestStore(initialState: Feature.State(text: "a")) { reducer }
    await store.send(.type("b")) { $0.text = "b" }
    await store.send(.type("cc")) {
      $0.text = "cc"
      $0.history = ["b>cc"]
    }
  }
}
