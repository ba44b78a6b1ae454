// The writing feature: lines become changes of the shared counter. It keeps no copy of it: the hub's is the only one.

import HubReducers

@Reducer
struct Writer {
  struct State: Equatable {
    /// What to tell the user about the last line.
    var answer: String?
  }

  enum Action: Equatable {
    case lineEntered(String)
    case counted(Int)
    case failed(String)
  }

  @Dependency(\.hub) var hub

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .lineEntered("+"): return change(by: 1)
      case .lineEntered("-"): return change(by: -1)
      case .lineEntered("="): return change(by: 0)
      case .lineEntered(let line):
        state.answer = "\(line)? It is +, - or ="
        return .none
      case .counted(let number):
        state.answer = "\(number)"
        return .none
      case .failed(let reason):
        state.answer = reason
        return .none
      }
    }
  }

  /// Another writer may count at the same time: `update` compares and sets, so that no change is lost.
  private func change(by amount: Int) -> Effect<Action> {
    let counter = hub.value("counter", of: Int.self)
    return .run { send in
      let count = try await counter.update(default: 0) { count in
        count += amount
        return count
      }
      await send(.counted(count))
    } catch: { error, send in
      await send(.failed("\(error)"))
    }
  }
}
