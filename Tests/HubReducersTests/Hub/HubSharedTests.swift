// Tests shared values that are stores of the hub, on a hub in memory: followed, written through, refused, removed.

import HubReducers
import HubReducersTesting
import Synchronization
import TestSupport
import Testing

@Reducer
private struct Counter {
  struct State: Equatable {
    @Shared(.hub("number")) var number = 0
    var echo = 0
  }

  enum Action: Equatable, Sendable {
    case task
    case add(Int)
    case set(Int)
    case numberChanged(Int)
    case saved
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task:
        return .run { [values = state.$number.values] send in
          for await number in values { await send(.numberChanged(number)) }
        }
      case .add(let count):
        state.$number.withLock { $0 += count }
        return .run { [number = state.$number] send in
          try? await number.save()
          await send(.saved)
        }
      case .set(let number): state.number = number
      case .numberChanged(let number): state.echo = number
      case .saved: break
      }
      return .none
    }
  }
}

@Suite struct HubSharedTests {
  private let memory = InMemoryHub()

  private func store(on hub: Hub? = nil) -> TestStoreOf<Counter> {
    TestStore(initialState: Counter.State()) {
      Counter()
    } withDependencies: {
      $0.hub = hub ?? memory.connect()
    }
  }

  @Test("a feature shows the hub's value from the start, and what others set")
  func follows() async throws {
    let other = memory.connect()
    try await other.value("number").set(5)
    let store = store()
    #expect(store.state.number == 5 && !store.state.$number.isLoading)
    let task = await store.send(.task)
    await store.receive(.numberChanged(5)) { $0.echo = 5 }
    try await other.value("number").set(6)
    await store.receive(.numberChanged(6)) { $0.echo = 6 }
    #expect(store.state.number == 6)
    await task.cancel()
  }

  @Test("a write is shown at once and is in the hub afterwards; its confirmation repeats nothing")
  func writes() async throws {
    let store = store()
    let number = memory.connect().value("number", of: Int.self)
    let task = await store.send(.task)
    await store.receive(.numberChanged(0))
    await store.send(.add(2)) { $0.number = 2 }
    await store.receive(.numberChanged(2)) { $0.echo = 2 }
    await store.receive(.saved)
    #expect(try await number.get() == 2)
    await store.send(.set(2))
    await store.send(.set(7)) { $0.number = 7 }
    await store.receive(.numberChanged(7)) { $0.echo = 7 }
    #expect(try await number.get() == 7)
    #expect(try await number.read().version == 2)
    await task.cancel()
  }

  @Test("a refused write reverts to the hub's value and says why, until the next one is taken")
  func refused() async throws {
    try memory.declare(["number": Schema(type: .integer, initial: .integer(3), maximum: .integer(10))])
    let store = store()
    let task = await store.send(.task)
    await store.receive(.numberChanged(3)) { $0.echo = 3 }
    // The reducer sees its own write; the hub refuses it before anybody else does, and nobody is told the old value again.
    await store.send(.set(11)) { $0.number = 11 }
    #expect(store.state.number == 3)
    #expect((store.state.$number.saveError as? HubError)?.code == .outOfRange)
    await store.send(.set(9)) { $0.number = 9 }
    await store.receive(.numberChanged(9)) { $0.echo = 9 }
    #expect(store.state.number == 9 && store.state.$number.saveError == nil)
    await task.cancel()
  }

  @Test(
    "while there is no store the initial value stands in; the first change makes it, removing it brings back the initial"
  )
  func absent() async throws {
    let other = memory.connect().value("number", of: Int.self)
    let store = store()
    #expect(store.state.number == 0 && !store.state.$number.isLoading)
    await #expect(throws: HubError.self) { try await other.get() }
    await store.send(.add(4)) { $0.number = 4 }
    await store.receive(.saved)
    #expect(try await other.get() == 4)
    try await other.remove()
    await store.skipReceivedActions(strict: false)
    #expect(store.state.number == 0)
    await store.send(.add(1)) { $0.number = 1 }
    await store.receive(.saved)
    #expect(try await other.get() == 1)
  }

  @Test("a value of another type is a load error, and mended by the next right one")
  func undecodable() async throws {
    let other = memory.connect()
    try await other.anyValue("number").set(.string("five"))
    let store = store()
    #expect((store.state.$number.loadError as? HubError)?.code == .undecodable)
    #expect(store.state.number == 0)
    try await other.anyValue("number").remove()
    try await other.value("number").set(5)
    await store.skipReceivedActions(strict: false)
    #expect(store.state.number == 5 && store.state.$number.loadError == nil)
  }

  @Test("a name that no store can have is a load error and a save error")
  func invalidName() async throws {
    let hub = memory.connect()
    @Shared(.hub("not a name", on: hub)) var number = 1
    let shared = $number
    try await eventually("a load error") { shared.loadError != nil }
    #expect((shared.loadError as? HubError)?.code == .invalidName)
    number = 2
    await #expect(throws: HubError.self) { try await shared.save() }
    #expect(number == 1)
  }

  @Test("changes of several programs at once are all kept")
  func concurrent() async throws {
    let programs = (0..<4).map { _ in memory.connect() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for hub in programs {
        group.addTask {
          @Shared(.hub("sum", on: hub)) var sum = 0
          let shared = $sum
          for _ in 0..<50 { shared.withLock { $0 += 1 } }
          try await shared.save()
        }
      }
      try await group.waitForAll()
    }
    #expect(try await programs[0].value("sum", of: Int.self).get() == 200)
  }

  @Test("a Codable type of your own is shared, and one that is not Equatable too")
  func codable() async throws {
    struct Settings: Codable, Sendable {
      var volume = 1.0
      var names: [String] = []
    }
    let (hub, other) = (memory.connect(), memory.connect())
    @Shared(.hub("settings", on: hub)) var settings = Settings()
    let shared = $settings
    shared.withLock { $0.names.append("a") }
    try await shared.save()
    try await other.value("settings", of: Settings.self).update { $0.volume = 0.5 }
    for await value in shared.values where value.volume == 0.5 { break }
    #expect(settings.names == ["a"])
  }

  @Test("a lost hub leaves the value as it is; another one without it is loading and then the initial value")
  func restarts() async throws {
    let store = store()
    await store.send(.add(4)) { $0.number = 4 }
    await store.receive(.saved)
    memory.restart(keepingState: true)
    #expect(store.state.number == 4)
    memory.advance(by: .seconds(2))
    await store.skipReceivedActions(strict: false)
    #expect(store.state.number == 4)
    memory.restart(keepingState: false)
    memory.advance(by: .seconds(2))
    await store.skipReceivedActions(strict: false)
    #expect(store.state.number == 0 && !store.state.$number.isLoading)
    await store.send(.add(1)) { $0.number = 1 }
    await store.receive(.saved)
    #expect(store.state.number == 1)
  }

  @Test("holders of one store in one process share one value; a value that nobody holds is not watched")
  func oneWatch() async throws {
    let (hub, other) = (memory.connect(), memory.connect())
    try await other.value("number").set(1)
    try await withDependencies {
      $0.hub = hub
    } operation: {
      do {
        @Shared(.hub("number")) var first = 0
        @Shared(.hub("number")) var second = 0
        let isOne = $first.identity === $second.identity
        #expect(isOne)
        for await value in $first.values where value == 1 { break }
        #expect(try await other.describe("number").watchers == 1)
      }
      try await eventually("no watcher") { try await other.describe("number").watchers == 0 }
    }
  }

  @Test(
    "with a filter others' small changes are not shown, and a change of one's own is made to the newest value"
  )
  func filtered() async throws {
    let (hub, other) = (memory.connect(), memory.connect().value("level", of: Int.self))
    try await other.set(1)
    @Shared(.hub("level", on: hub, by: 10)) var level = 0
    @Shared(.hub("level", on: hub)) var exact = 0
    let (shared, all) = ($level, $exact)
    let isOne = shared.identity === all.identity
    #expect(!isOne)
    var (seen, seenOfAll): ([Int], [Int]) = ([], [])
    for await value in shared.values where value == 1 { break }
    for value in [5, 10, 12, 15] { try await other.set(value) }
    for await value in shared.values {
      seen.append(value)
      if value >= 12 { break }
    }
    for await value in all.values {
      seenOfAll.append(value)
      if value == 15 { break }
    }
    #expect(!seen.contains(15) && level == 12 && exact == 15, "\(seen), \(seenOfAll)")
    shared.withLock { $0 += 1 }
    try await shared.save()
    #expect(try await other.get() == 16)
    #expect(level == 16)
  }

  @Test("a filter that cannot be is a load error")
  func impossibleFilter() async throws {
    @Shared(.hub("level", on: memory.connect(), atMost: .zero)) var level = 0
    let shared = $level
    try await eventually("a load error") { shared.loadError != nil }
    #expect((shared.loadError as? HubError)?.code == .invalidValue)
  }

  @Test("in a test the hub is one in memory that no other test store shares")
  func isolation() async {
    for _ in 0..<2 {
      let store = withDependencies {
        $0 = DependencyValues()
      } operation: {
        TestStore(initialState: Counter.State()) { Counter() }
      }
      await store.send(.add(1)) { $0.number = 1 }
      await store.receive(.saved)
    }
  }
}
