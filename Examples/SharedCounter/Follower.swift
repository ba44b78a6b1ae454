// The following feature: one line subscribes it to the shared counter.

import HubReducers

@Reducer
struct Follower {
  struct State: Equatable, Sendable {
    /// Nil until there is a counter.
    var number: Int?
    var problem: String?

    /// How the state is shown.
    var line: String? { problem ?? number.map { "counter: \($0)" } }
  }

  enum Action: Equatable {
    case task
    case numberChanged(Int)
    case subscription(SubscriptionEvent)
  }

  @Dependency(\.hub) var hub

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .numberChanged(let number): state.number = number
      case .subscription(.failed(let error)): state.problem = "\(error)"
      case .task, .subscription: break
      }
      return .none
    }
    .subscribe(
      to: hub.value("counter", of: Int.self), on: \.task, with: \.numberChanged, lifecycle: \.subscription)
  }
}
