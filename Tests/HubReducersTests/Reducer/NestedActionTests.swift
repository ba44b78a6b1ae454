// Tests the handling of nested actions on the whole state.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Feature {
  struct State: Equatable {
    var text = ""
    var isLoaded = false
  }

  enum Action: Equatable, Sendable {
    case view(View)
    case delegate(Delegate)

    @CasePathable
    enum View: Equatable, Sendable {
      case onAppear
      case close
    }

    @CasePathable
    enum Delegate: Equatable, Sendable {
      case dismiss
    }
  }

  var body: some ReducerOf<Self> {
    NestedAction(\.view) { state, action in
      switch action {
      case .onAppear:
        state.text = "Hello"
        return .none
      case .close:
        return .send(.delegate(.dismiss))
      }
    }
    NestedAction(\.delegate) { state, _ in
      state.isLoaded = true
      return .none
    }
  }
}

@Suite struct NestedActionTests {
  @Test("only the named case's actions arrive, and effects are the outer action's")
  func nested() async {
    let store = TestStore(initialState: Feature.State()) { Feature() }
    await store.send(\.view.onAppear) { $0.text = "Hello" }
    await store.send(\.view.close)
    await store.receive(\.delegate.dismiss) { $0.isLoaded = true }
  }
}
