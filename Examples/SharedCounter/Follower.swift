// The following feature: one line subscribes it to the shared counter. What it has to say waits in its state until it is
// shown.

import HubReducers

@Reducer
struct Follower {
  struct State: Equatable, Sendable {
    /// Nil until there is a counter.
    var number: Int?
    /// The lines to show, oldest first. The number itself may have changed again before they are shown.
    var lines: [String] = []
  }

  enum Action: Equatable {
    case task
    case numberChanged(Int)
    case shown(lines: Int)
    case subscription(SubscriptionEvent)
  }

  @Dependency(\.hub) var hub

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .numberChanged(let number):
        state.number = number
        state.lines.append("counter: \(number)")
      case .shown(let count): state.lines.removeFirst(count)
      case .subscription(.failed(let error)): state.lines.append("\(error)")
      case .task, .subscription: break
      }
      return .none
    }
    // Every change, and not only the newest number: this program is there to show them.
    .subscribe(to: hub.value("counter", of: Int.self).with(.every()), on: \.task, with: \.numberChanged)
    .lifecycle(\.subscription)
  }
}
