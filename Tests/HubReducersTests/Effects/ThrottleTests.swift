// Tests the thinning out of effects.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Search {
  struct State: Equatable { var heard: [Int] = [] }

  enum Action: Equatable, Sendable {
    case tap(Int)
    case burst
    case heard(Int)
  }

  let latest: Bool
  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .tap(let number):
        return .send(.heard(number)).throttle(id: 1, for: .seconds(1), clock: clock, latest: latest)
      case .burst:
        return .run { send in
          for number in 1...4 {
            await send(.heard(number))
            try await clock.sleep(for: .milliseconds(400))
          }
        }
        .throttle(id: 1, for: .seconds(1), clock: clock, latest: latest)
      case .heard(let number):
        state.heard.append(number)
        return .none
      }
    }
  }
}

@Suite("Throttling")
struct ThrottleTests {
  private func store(latest: Bool, _ clock: TestClock) -> TestStoreOf<Search> {
    TestStore(initialState: Search.State()) {
      Search(latest: latest)
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  @Test(
    "sends the first at once, and at the end of each interval the newest or the first",
    arguments: [true, false])
  func interval(latest: Bool) async {
    let clock = TestClock()
    let store = store(latest: latest, clock)
    await store.send(.tap(1))
    await store.receive(.heard(1)) { $0.heard = [1] }
    await store.send(.tap(2))
    await clock.advance(by: .milliseconds(500))
    await store.send(.tap(3))
    await clock.advance(by: .milliseconds(499))
    await clock.advance(by: .milliseconds(1))
    let kept = latest ? 3 : 2
    await store.receive(.heard(kept)) { $0.heard = [1, kept] }
    await clock.advance(by: .milliseconds(500))
    await store.send(.tap(4))
    await clock.advance(by: .milliseconds(499))
    await clock.advance(by: .milliseconds(1))
    await store.receive(.heard(4)) { $0.heard = [1, kept, 4] }
  }

  @Test("after a quiet interval the next one is sent at once")
  func quiet() async {
    let clock = TestClock()
    let store = store(latest: true, clock)
    await store.send(.tap(1))
    await store.receive(.heard(1)) { $0.heard = [1] }
    await clock.advance(by: .seconds(1))
    await store.send(.tap(2))
    await store.receive(.heard(2)) { $0.heard = [1, 2] }
  }

  @Test("thins out what one effect sends, without holding it up", arguments: [true, false])
  func burst(latest: Bool) async {
    let clock = TestClock()
    let store = store(latest: latest, clock)
    await store.send(.burst)
    await store.receive(.heard(1)) { $0.heard = [1] }
    await clock.advance(by: .seconds(1))
    let second = latest ? 3 : 2
    await store.receive(.heard(second)) { $0.heard = [1, second] }
    await clock.advance(by: .seconds(1))
    await store.receive(.heard(4)) { $0.heard = [1, second, 4] }
    await store.finish()
  }
}
