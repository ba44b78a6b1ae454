// A program with one feature and one dependency, which together use all three macros.

import HubReducers

@DependencyClient
struct Dice: Sendable {
  var roll: @Sendable (_ sides: Int) async throws -> Int
}

extension Dice: DependencyKey {
  static let liveValue = Dice(roll: { Int.random(in: 1...$0) })
}

extension DependencyValues {
  var dice: Dice {
    get { self[Dice.self] }
    set { self[Dice.self] = newValue }
  }
}

@Reducer
struct Game {
  struct State: Equatable {
    var last: Int?
  }

  enum Action {
    case rollTapped
    case rolled(Int)
  }

  @Dependency(\.dice) var dice

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .rollTapped:
        return .run { [dice] send in await send(.rolled(try await dice.roll(sides: 6))) }
      case .rolled(let number):
        state.last = number
        return .none
      }
    }
  }
}

@CasePathable
enum Answer {
  case number(Int)
  case nothing
}

let store = Store(initialState: Game.State()) { Game() }
await store.send(.rollTapped).finish()
let answer = store.state.last.map(Answer.number) ?? .nothing
print(answer[case: \.number].map { "rolled \($0)" } ?? "rolled nothing")
