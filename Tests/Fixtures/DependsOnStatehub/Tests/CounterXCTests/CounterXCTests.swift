// The tests of the feature with XCTest, as the documentation shows them.

import CounterFeature
import HubReducers
import HubReducersTesting
import XCTest

final class CounterXCTests: XCTestCase {
  func testATapCounts() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    let task = await store.send(.task)
    await store.send(.incrementTapped)
    await store.receive(\.numberChanged, 1) { $0.number = 1 }
    await task.cancel()
  }

  func testWhatAnotherProgramSetsIsShown() async throws {
    let hub = Hub.inMemory()
    let store = TestStore(initialState: Counter.State()) {
      Counter()
    } withDependencies: {
      $0.hub = hub
    }
    let task = await store.send(.task)
    try await hub.value("counter", of: Int.self).set(41)
    await store.receive(\.numberChanged, 41) { $0.number = 41 }
    await task.cancel()
  }
}
