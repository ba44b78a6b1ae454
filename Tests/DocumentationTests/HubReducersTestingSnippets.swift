// The code of the pages on HubReducers and its testing, run.

import HubReducers
import HubReducersSamples
import HubReducersTesting
import Testing

@Suite("The code of HubReducers' pages")
struct HubReducersSnippets {
  @Test("the counter counts")
  func counter() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    let task = await store.send(.task)
    await store.send(.incrementTapped)
    await store.receive(\.numberChanged, 1) { $0.number = 1 }
    await task.cancel()
  }

  @Test("the counter sees what other programs do")
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

  @Test("a store runs the counter, and tells its states")
  @MainActor
  func running() async {
    let store = Store(initialState: Counter.State()) { Counter() }
    let showing = Task {
      store.send(.task)
      await store.send(.incrementTapped).finish()
      for await state in store.states {
        print("counter: \(state.number)")
      }
    }
    for await state in store.states where state.number == 1 { break }
    showing.cancel()
  }

  @Test("a shared property is asserted like any other")
  func shared() async {
    let store = TestStore(initialState: SharedCounter.State()) { SharedCounter() }
    await store.send(.incrementTapped) {
      $0.$number.withLock { $0 += 1 }
    }
  }

  @Test("a subscription tells about itself, and ends with its action")
  func lifecycle() async {
    let numbers = NumberStore.inMemory(5)
    let store = TestStore(initialState: Monitor.State()) {
      Monitor()
    } withDependencies: {
      $0.numberStore = numbers
    }
    await store.send(.task)
    await store.receive(.subscription(.connected)) { $0.log = ["connected"] }
    await store.receive(.numberChanged(5)) { $0.number = 5 }
    await numbers.updateValue(6)
    await store.receive(.numberChanged(6)) { $0.number = 6 }
    await store.send(.stop)
    await store.finish()
  }

  @Test("subscriptions take an argument from the state, transform, and send what they like")
  func rooms() async throws {
    let hub = Hub.inMemory()
    try await hub.value("room.1").set(7)
    try await hub.value("title").set("")
    let store = TestStore(initialState: Rooms.State()) {
      Rooms()
    } withDependencies: {
      $0.hub = hub
    }
    let task = await store.send(.task)
    await store.receive(\.countChanged, 7) { $0.count = 7 }
    await store.receive(\.titleMissing) { $0.isUntitled = true }
    await store.receive(\.titleChanged, "")
    try await hub.value("title").set("hall")
    await store.receive(\.titleChanged, "HALL") { $0.title = "HALL" }
    await task.cancel()
  }

  @Test("a subscription to events reports a silence, and the write that ends it")
  func silence() async throws {
    let hub = Hub.inMemory()
    try await hub.value("tank.pressure").set(1.5)
    let store = TestStore(initialState: Tank.State()) {
      Tank()
    } withDependencies: {
      $0.hub = hub
    }
    let task = await store.send(.task)
    await store.receive(.measured(1.5, isSilent: false)) { $0.pressure = 1.5 }
    hub.memory?.advance(by: .seconds(5))
    await store.receive(.measured(1.5, isSilent: true)) { $0.isSilent = true }
    try await hub.value("tank.pressure").set(1.5)
    await store.receive(.measured(1.5, isSilent: false)) { $0.isSilent = false }
    await task.cancel()
  }

  @Test("a subscription runs while the state asks for it")
  func tracking() async {
    let store = TestStore(initialState: Tracker.State()) {
      Tracker()
    } withDependencies: {
      $0.numberStore = .inMemory(3)
    }
    await store.send(.toggled) { $0.isTracking = true }
    await store.receive(\.moved, 3) { $0.number = 3 }
    await store.send(.toggled) { $0.isTracking = false }
    await store.finish()
  }

  @Test("what a subscription's elements started continues when the subscription is cancelled")
  func detached() async {
    let (texts, send) = AsyncStream.makeStream(of: String.self)
    let clock = TestClock()
    let store = TestStore(initialState: Editor.State()) {
      Editor(texts: { texts }, save: { _ in try? await clock.sleep(for: .seconds(1)) })
    }
    let task = await store.send(.task)
    send.yield("draft")
    await store.receive(\.textChanged, "draft")
    await task.cancel()
    await clock.advance(by: .seconds(1))
    await store.receive(\.saved) { $0.saves = 1 }
  }

  @Test("your own client lives in the hub")
  func client() async throws {
    let hub = Hub.inMemory()
    let client = withDependencies {
      $0.hub = hub
    } operation: {
      ThemeClient.liveValue
    }
    try await client.choose(name: "dusk")
    for await name in await client.names() {
      #expect(name == "dusk")
      break
    }
  }

  @Test("an effect is replaced and cancelled by its id")
  func cancellation() async {
    let clock = TestClock()
    let store = TestStore(initialState: Search.State()) {
      Search { query in
        try await clock.sleep(for: .seconds(1))
        return [query]
      }
    }
    await store.send(.queryChanged("a"))
    await store.send(.queryChanged("ab"))
    await clock.advance(by: .seconds(1))
    await store.receive(.found(["ab"])) { $0.results = ["ab"] }
    await store.send(.queryChanged("abc"))
    await store.send(.cancelTapped)
    await store.finish()
  }

  @Test("the hub of this test is its own", .dependency(\.hub, .inMemory()))
  func trait() async throws {
    @Dependency(\.hub) var hub
    try await hub.value("number", of: Int.self).set(1)
    #expect(try await hub.value("number", of: Int.self).get() == 1)
  }

  @Test("a test's clock serves a task that the test starts itself")
  func clock() async throws {
    let clock = TestClock()
    let ticker = Task {
      for tick in 1...3 {
        try await clock.sleep(for: .seconds(1))
        print("tick \(tick)")
      }
    }
    await clock.advance(by: .seconds(3))
    try await ticker.value
  }

  @Test("a test has patience if it says so")
  func patience() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    store.timeout = .seconds(5)
    let task = await store.send(.task)
    await store.send(.incrementTapped)
    await store.receive(\.numberChanged, 1) { $0.number = 1 }
    await task.cancel()
  }

  @Test("a test that looks at a part only")
  func nonexhaustive() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    store.exhaustivity = .off
    let task = await store.send(.task)
    await store.send(.incrementTapped)
    await store.send(.incrementTapped)
    await store.receive(\.numberChanged, 2)
    await task.cancel()
  }
}
