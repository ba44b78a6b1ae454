// Tests actions that set properties: carried out before the feature reacts, named by key paths, compared and shown.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Profile {
  struct State: Equatable {
    var name = ""
    var age = 0
    var isValid = false
    var address = Address()
  }

  struct Address: Equatable, Sendable { var city = "" }

  enum Action: BindableAction, Equatable, Sendable {
    case binding(BindingAction<State>)
    case load
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .binding(\.name):
        state.isValid = !state.name.isEmpty
        return .none
      case .binding: return .none
      case .load: return .send(.set(\.age, 30))
      }
    }
  }
}

@Suite struct BindingTests {
  private let store = TestStore(initialState: Profile.State()) { Profile() }

  @Test("a binding action sets its property before the feature reacts to that property")
  func sets() async {
    await store.send(\.binding.name, "Ann") {
      $0.name = "Ann"
      $0.isValid = true
    }
    await store.send(.binding(.set(\.age, 20))) { $0.age = 20 }
    await store.send(.set(\.address.city, "Oslo")) { $0.address.city = "Oslo" }
  }

  @Test("an effect can send one, and a test receives it by its property")
  func received() async {
    await store.send(.load)
    await store.receive(\.binding.age, 30) { $0.age = 30 }
    await store.send(.load)
    await store.receive(.set(\.age, 30))
  }

  @Test("two are equal if they set the same property to an equal value")
  func equality() {
    #expect(Profile.Action.set(\.name, "Ann") == .set(\.name, "Ann"))
    #expect(Profile.Action.set(\.name, "Ann") != .set(\.name, "Bob"))
    #expect(BindingAction<Profile.State>.set(\.name, "") != .set(\.address.city, ""))
    #expect(Profile.Action.load.binding == nil)
  }

  @Test("it is shown as it is written")
  func shown() {
    #expect("\(BindingAction<Profile.State>.set(\.age, 3))".hasSuffix("State.age, 3)"))
  }
}
