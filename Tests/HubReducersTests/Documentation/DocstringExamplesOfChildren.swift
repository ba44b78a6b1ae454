// The examples of the docstrings about children, stacks and shared values, compiled like those beside this file.

import HubReducers
import HubReducersTesting

private enum Presented {
  @Reducer
  struct Child {
    struct State: Equatable {}
    enum Action { case closeTapped }
    @Dependency(\.dismiss) var dismiss
    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .closeTapped:
          return .run { _ in await dismiss() }
        }
      }
    }
  }

  struct State: Equatable {
    @Presents var child: Child.State?
  }
}

private enum Stacked {
  @Reducer struct Counter {}

  @Reducer
  struct Search {
    struct State {}
    enum Action { case tick }
    let find: @Sendable () -> Void
    @Dependency(\.continuousClock) var clock
    var body: some ReducerOf<Self> {
      Reduce { _, _ in
        .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
        }
      }
    }
  }

  @Sendable static func find() {}

  @Reducer
  enum Screen {
    case counter(Counter)
    case search(Search = Search(find: find))
    case welcome
  }
}

private enum OnStack {
  @Reducer struct Screen {}

  @Reducer
  struct Root {
    struct State: Equatable { var path = StackState<Screen.State>() }
    enum Action { case path(StackActionOf<Screen>) }
    var body: some ReducerOf<Self> {
      Reduce { _, _ in .none }.forEach(\.path, action: \.path) { Screen() }
    }
  }
}

extension SharedKey where Self == InMemoryKey<Bool>.Default {
  static var isOn: Self { Self[.inMemory("isOn"), default: false] }
}

private struct Readers {
  @Shared(.isOn) var isOn
  @SharedReader(.hub("number")) var number = 0
}

private enum Bound {
  @Reducer
  struct Profile {
    struct State: Equatable { var name = "" }
    enum Action: BindableAction {
      case binding(BindingAction<State>)
    }

    var body: some ReducerOf<Self> {
      BindingReducer()
      Reduce { state, action in
        switch action {
        case .binding(\.name): return .none  // in a reducer, after `BindingReducer` has set it
        case .binding: return .none
        }
      }
    }
  }

  static func test(_ store: TestStoreOf<Profile>) async {
    await store.send(\.binding.name, "Ann") { $0.name = "Ann" }  // in a test
  }
}

private enum Alerted {
  @Reducer
  struct Files {
    struct State {
      @Presents var alert: AlertState<Action.Alert>?
      @Shared(.inMemory("seats")) var seats = 0
    }

    enum Action {
      case alert(PresentationAction<Alert>)
      enum Alert: Sendable { case deleteConfirmed }
    }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.alert = AlertState {
          TextState("Delete the file?")
        } actions: {
          ButtonState(role: .destructive, action: .deleteConfirmed) { TextState("Delete") }
          ButtonState(role: .cancel) { TextState("Cancel") }
        }
        let isSold = state.$seats.withLock { seats in
          defer { seats = max(0, seats - 1) }
          return seats > 0
        }
        return isSold ? .none : .send(.alert(.dismiss))
      }
      .ifLet(\.$alert, action: \.alert)
    }
  }
}
