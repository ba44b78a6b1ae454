import Fan
import HubReducers
import HubReducersTesting
import Testing

@Suite struct FanTests {
  @Test("is on while the room is too warm")
  func follows() async throws {
    let hub = Hub.inMemory()
    let temperature = hub.value("room.temperature", of: Double.self)
    let store = TestStore(initialState: Fan.State()) {
      Fan()
    } withDependencies: {
      $0.hub = hub
    }
    let task = await store.send(.task)
    try await temperature.set(25)
    await store.receive(\.temperatureChanged, 25) {
      $0.temperature = 25
      $0.isOn = true
    }
    try await temperature.set(20)
    await store.receive(\.temperatureChanged, 20) {
      $0.temperature = 20
      $0.isOn = false
    }
    await task.cancel()
  }
}
