// A feature in a library of its own, for other modules to build programs from.

import HubReducers

@Reducer
public struct Counter {
  public struct State: Equatable, Sendable {
    public var number = 0

    public init(number: Int = 0) { self.number = number }
  }

  public enum Action: Equatable, Sendable {
    case task
    case numberChanged(Int)
    case incrementTapped
    case breakTapped
  }

  @Dependency(\.hub) var hub

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task:
        return .none
      case .numberChanged(let number):
        state.number = number
        return .none
      case .incrementTapped:
        return .run { _ in
          try await hub.value("counter", of: Int.self).update(default: 0) { $0 += 1 }
        }
      case .breakTapped:
        return .run { _ in throw Broken() }
      }
    }
    .subscribe(to: hub.value("counter", of: Int.self), on: \.task, with: \.numberChanged)
  }
}

struct Broken: Error {}
