// The README's example of reducers, compiled and run. `DocumentationTests` compares the two.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
struct Volume {
  struct State: Equatable {
    var volume = 0
    @Shared(.hub("audio.muted")) var isMuted = false  // a store of the hub, read and written like a property
  }

  enum Action: Equatable, Sendable {
    case task
    case volumeChanged(Int)
    case louderTapped
    case muteTapped
  }

  @Dependency(\.hub) var hub

  var volume: SharedValue<Int> { hub.value("audio.volume") }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task:
        return .none
      case .volumeChanged(let volume):
        state.volume = volume
        return .none
      case .louderTapped:
        return .run { _ in try await volume.add(1) }
      case .muteTapped:
        state.isMuted.toggle()
        return .none
      }
    }
    .subscribe(to: volume, on: \.task, with: \.volumeChanged)
  }
}

@Suite struct ReadMeTests {
  @Test func louder() async throws {
    let hub = Hub.inMemory()  // the daemon's own engine, inside the test
    try await hub.value("audio.volume").set(4)
    let store = TestStore(initialState: Volume.State()) {
      Volume()
    } withDependencies: {
      $0.hub = hub
    }

    let task = await store.send(.task)
    await store.receive(.volumeChanged(4)) { $0.volume = 4 }
    await store.send(.louderTapped)
    await store.receive(.volumeChanged(5)) { $0.volume = 5 }
    await store.send(.muteTapped) { $0.isMuted = true }
    await task.cancel()
  }
}
