// Tests of a plain store with XCTest: each has dependencies of its own.

import CounterFeature
import HubReducers
import HubReducersTesting
import XCTest

final class PlainStoreXCTests: XCTestCase {
  override func invokeTest() {
    withTestDependencies { super.invokeTest() }
  }

  @MainActor
  func testTheFirstCountIsOne() async {
    await countToOne()
  }

  @MainActor
  func testTheFirstCountIsOneInEachTest() async {
    await countToOne()
  }

  @MainActor
  private func countToOne() async {
    let store = Store(initialState: Counter.State()) { Counter() }
    store.send(.task)
    await store.send(.incrementTapped).finish()
    for await state in store.states where state.number > 0 {
      XCTAssertEqual(state.number, 1)
      break
    }
    await store.shutdown()
  }
}
