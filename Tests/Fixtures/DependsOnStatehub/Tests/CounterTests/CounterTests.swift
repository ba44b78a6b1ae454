// The tests of the feature with Swift Testing, as the documentation shows them.

import CounterFeature
import HubReducers
import HubReducersTesting
import Testing

@Suite struct CounterTests {
  @Test("a tap counts, and the count comes back from the hub")
  func increment() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    let task = await store.send(.task)
    await store.send(.incrementTapped)
    await store.receive(\.numberChanged, 1) { $0.number = 1 }
    await task.cancel()
  }

  @Test("what another program sets is shown")
  func otherProgram() async throws {
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
