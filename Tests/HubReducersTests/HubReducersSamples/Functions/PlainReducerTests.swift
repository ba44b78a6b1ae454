// Tests reducers that are plain functions: combining them, pulling them back, wrapping them, storing them.

import HubReducers
import HubReducersSamples
import HubReducersTesting
import Testing

private struct AppState: Equatable {
  var count = 0
  var favorites: [Int] = []
  var feed: [String] = []

  var favoritesState: Favorites {
    get { Favorites(numbers: favorites, feed: feed) }
    set { (favorites, feed) = (newValue.numbers, newValue.feed) }
  }
}

private struct Favorites {
  var numbers: [Int]
  var feed: [String]
}

@CasePathable
private enum AppAction: Sendable {
  case counter(CounterAction)
  case favorites(FavoritesAction)
}

@CasePathable
private enum CounterAction: Sendable {
  case decrTapped
  case incrTapped
}

@CasePathable
private enum FavoritesAction: Sendable {
  case save(Int)
  case remove(Int)
}

private func counterReducer(state: inout Int, action: CounterAction) {
  switch action {
  case .decrTapped: state -= 1
  case .incrTapped: state += 1
  }
}

private func favoritesReducer(state: inout Favorites, action: FavoritesAction) {
  switch action {
  case .save(let number):
    state.numbers.append(number)
    state.feed.append("saved \(number)")
  case .remove(let index):
    state.feed.append("removed \(state.numbers.remove(at: index))")
  }
}

private let appReducer: @Sendable (inout AppState, AppAction) -> Void = combine(
  pullback(counterReducer, value: \.count, action: \.counter),
  pullback(favoritesReducer, value: \.favoritesState, action: \.favorites))

@Suite struct PlainReducerTests {
  @Test("small reducers pulled back and combined are one big reducer")
  func app() {
    var state = AppState()
    appReducer(&state, .counter(.incrTapped))
    appReducer(&state, .counter(.incrTapped))
    appReducer(&state, .counter(.decrTapped))
    appReducer(&state, .favorites(.save(7)))
    appReducer(&state, .favorites(.remove(0)))
    #expect(state == AppState(count: 1, favorites: [], feed: ["saved 7", "removed 7"]))
  }

  @Test("combining runs in order on the same state")
  func order() {
    let reducer = combine(
      { (value: inout [Int], action: Int) in value.append(action) },
      { value, action in value.append(value.count * 10 + action) })
    var value: [Int] = []
    reducer(&value, 1)
    #expect(value == [1, 11])
    combine()(&value, 1) as Void
    #expect(value == [1, 11])
  }

  @Test("pulling back works with getters and setters, along one axis, and along an enum's case")
  func pullbacks() {
    var state = AppState(count: 1)
    pullback(counterReducer, get: { (state: AppState) in state.count }, set: { $0.count = $1 })(
      &state, .incrTapped)
    #expect(state.count == 2)
    let byAction: (inout Int, AppAction) -> Void = pullback(counterReducer, action: \.counter)
    byAction(&state.count, .favorites(.save(1)))
    byAction(&state.count, .counter(.decrTapped))
    #expect(state.count == 1)
    let onCase: (inout Int?, CounterAction) -> Void = pullback(counterReducer, value: \.some)
    var some: Int? = 5
    onCase(&some, .incrTapped)
    var none: Int?
    onCase(&none, .incrTapped)
    #expect(some == 6 && none == nil)
  }

  @Test("a higher-order reducer sees what every action does, or lets only some through")
  func higherOrder() {
    let history = Log<String>()
    let reported = reporting(counterReducer) { before, action, after in
      history.append("\(before) \(action) \(after)")
    }
    var count = 0
    reported(&count, .incrTapped)
    #expect(history.entries == ["0 incrTapped 1"])
    let limited = filtering(counterReducer) { value, _ in value < 2 }
    for _ in 0..<5 { limited(&count, .incrTapped) }
    #expect(count == 2)
  }

  @Test("a store runs a plain function, and a body can hold one")
  @MainActor func stores() async {
    let store = Store(initialValue: AppState(), reducer: appReducer)
    store.send(.counter(.incrTapped))
    #expect(store.state.count == 1)
    let test = TestStore(initialState: AppState()) { Reduce(function: appReducer) }
    await test.send(.counter(.incrTapped)) { $0.count = 1 }
  }
}
