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

  @Test("tells other programs when it turns on or off, and only then")
  func tells() async throws {
    let hub = Hub.inMemory()
    let temperature = hub.value("room.temperature", of: Double.self)
    let fan = hub.value("room.fan", of: Bool.self)
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
    let version = try await hub.describe("room.fan").state.version
    try await temperature.set(26)
    await store.receive(\.temperatureChanged, 26) { $0.temperature = 26 }
    #expect(try await fan.get() == true)
    #expect(try await hub.describe("room.fan").state.version == version)
    await task.cancel()
  }
}
