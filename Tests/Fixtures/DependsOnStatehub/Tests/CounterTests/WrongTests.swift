// Tests that are wrong on purpose: each has to fail, in the line that says so, also if it runs alone.

import CounterFeature
import HubReducers
import HubReducersTesting
import Testing

@Suite struct WrongTests {
  @Test func wrongState() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    await store.send(.numberChanged(1)) { $0.number = 2 }  // FAILS wrongState
  }

  /// Nothing here makes a test store, so nobody else has a reason to see to reports.
  @Test @MainActor func plainStore() async {
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { _, _ in
        .run { _ in throw CancelledByMistake() }  // FAILS plainStore
      }
    }
    await store.send(0).finish()
  }
}

struct CancelledByMistake: Error {}
