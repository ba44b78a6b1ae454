// Tests reducers against a hub process: streams over its restarts, watches that end, values of several programs.

import HubReducers
import HubReducersSamples
import HubReducersTesting
import TestSupport
import Testing

@Reducer
private struct Row {
  struct State: Equatable, Identifiable {
    var id: Int
    var number = 0
  }

  enum Action: Equatable, Sendable {
    case task
    case numberChanged(Int)
  }

  let hub: Hub

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .numberChanged(let number) = action { state.number = number }
      return .none
    }
    .subscribe(to: hub.value("row", of: Int.self), on: \.task, with: \.numberChanged)
  }
}

@Reducer
private struct Rows {
  struct State: Equatable {
    var rows: IdentifiedArrayOf<Row.State> = []
    var detail: Row.State?
    @Shared(.hub("number")) var number = 0
  }

  enum Action: Equatable, Sendable {
    case rows(IdentifiedActionOf<Row>)
    case detail(Row.Action)
    case remove(Int)
    case closeDetail
    case add(Int)
  }

  let hub: Hub

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .remove(let id): state.rows.remove(id: id)
      case .closeDetail: state.detail = nil
      case .add(let count): state.$number.withLock { $0 += count }
      case .rows, .detail: break
      }
      return .none
    }
    .forEach(\.rows, action: \.rows) { Row(hub: hub) }
    .ifLet(\.detail, action: \.detail) { Row(hub: hub) }
  }
}

@Reducer
private struct Follower {
  struct State: Equatable {
    var number = 0
    var life: [SubscriptionEvent] = []
  }

  enum Action: Equatable, Sendable {
    case task
    case numberChanged(Int)
    case life(SubscriptionEvent)
  }

  let hub: Hub

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task: break
      case .numberChanged(let number): state.number = number
      case .life(let event): state.life.append(event)
      }
      return .none
    }
    .subscribe(
      to: hub.value("number", of: Int.self), on: \.task, with: \.numberChanged
    ).lifecycle(\.life)
  }
}

@Suite struct RealHubTests {
  @Test("a child that goes away ends its subscription, and the hub's watchers become fewer")
  func children() async throws {
    let real = try RealHub()
    // Each child's Hub is a connection of its own, so that the hub counts each child's watch.
    try await real.other.value("row").set(1)
    let store = TestStore(
      initialState: Rows.State(rows: [Row.State(id: 1), Row.State(id: 2)], detail: Row.State(id: 3))
    ) {
      Rows(hub: real.hub)
    } withDependencies: {
      $0.hub = real.hub
    }
    store.exhaustivity = .off
    for id in 1...2 {
      await store.send(.rows(.element(id: id, action: .task)))
      await store.receive(.rows(.element(id: id, action: .numberChanged(1)))) { $0.rows[id: id]?.number = 1 }
    }
    await store.send(.detail(.task))
    await store.receive(.detail(.numberChanged(1))) { $0.detail?.number = 1 }
    // One process, one watch for all its streams of a store.
    #expect(try await real.watchers(of: "row") == 1)
    await store.send(.remove(1))
    await store.send(.closeDetail)
    try await real.other.value("row").set(2)
    await store.receive(.rows(.element(id: 2, action: .numberChanged(2)))) { $0.rows[id: 2]?.number = 2 }
    #expect(try await real.watchers(of: "row") == 1)
    await store.send(.remove(2))
    await store.finish()
    try await real.waitForWatchers(0, of: "row")
  }

  @Test("a store that goes away, or is shut down, leaves no watch behind")
  @MainActor func stores() async throws {
    let real = try RealHub()
    try await real.other.value("number").set(1)
    for ends in [true, false] {
      var store: StoreOf<Follower>? = Store(initialState: Follower.State()) { Follower(hub: real.hub) }
      store?.send(.task)
      try await real.waitForWatchers(1, of: "number")
      if ends { await store?.shutdown() }
      store = nil
      try await real.waitForWatchers(0, of: "number")
    }
  }

  @Test("a subscription outlives a hub that is killed, and tells that it is back")
  func killed() async throws {
    let real = try RealHub()
    try await real.other.value("number").set(1)
    let store = TestStore(initialState: Follower.State()) { Follower(hub: real.hub) }
    store.externalTimeout = .seconds(60)
    let task = await store.send(.task)
    await store.receive(.life(.connected)) { $0.life = [.connected] }
    await store.receive(.numberChanged(1)) { $0.number = 1 }
    let second = try real.restarted()
    let other = second.hub()
    // How many attempts failed meanwhile, and why, is not the same each time.
    store.exhaustivity = .off
    while store.state.life.count(where: { $0 == .connected }) < 2
      || !store.state.life.contains(.freshness(.live))
    {
      await store.receive(\.life)
    }
    #expect(store.state.life.contains { if case .freshness(.unreachable) = $0 { true } else { false } })
    #expect(store.state.life.count { $0 == .connected } == 2)
    try await other.value("number").set(2)
    await store.receive(.numberChanged(2)) { $0.number = 2 }
    await task.cancel()
  }

  @Test("a shared value outlives a hub that is killed, and is loading until the first hub is there")
  func sharedValue() async throws {
    let directory = try TemporaryDirectory()
    let hub = Hub(.explicit(directory.file("hub.sock")), timeout: .unhurried)
    @Shared(.hub("number", on: hub)) var number = 3
    let shared = $number
    #expect(shared.isLoading && number == 3)
    let first = try HubProcess(in: directory)
    number = 4
    try await shared.save()
    #expect(number == 4 && shared.saveError == nil)
    try await eventually("the value is loaded") { !shared.isLoading }
    first.kill()
    #expect(number == 4)
    let second = try HubProcess(in: directory)
    // The second hub has never heard of the number.
    for await value in shared.values where value == 3 { break }
    let other = second.hub()
    try await other.value("number").set(9)
    for await value in shared.values where value == 9 { break }
  }

  @Test("a test store shows and writes a shared value of a real hub, and can wait for the saving")
  func sharedInATestStore() async throws {
    let real = try RealHub()
    let store = TestStore(initialState: Rows.State()) {
      Rows(hub: real.hub)
    } withDependencies: {
      $0.hub = real.hub
    }
    let number = store.state.$number
    try await eventually("the value is loaded") { !number.isLoading }
    await store.send(.add(5)) { $0.number = 5 }
    try await number.save()
    #expect(try await real.other.value("number", of: Int.self).get() == 5)
    try await real.other.value("number", of: Int.self).add(10)
    for await value in number.values where value == 15 { break }
    await store.send(.add(1)) { $0.number = 16 }
    try await number.save()
    #expect(try await real.other.value("number", of: Int.self).get() == 16)
  }

  @Test("two programs count with one number: no step is lost")
  func twoPrograms() async throws {
    let real = try RealHub()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for hub in [real.hub, real.other] {
        group.addTask {
          @Shared(.hub("number", on: hub)) var number = 0
          let shared = $number
          for _ in 0..<100 { shared.withLock { $0 += 1 } }
          try await shared.save()
        }
      }
      try await group.waitForAll()
    }
    #expect(try await real.other.value("number", of: Int.self).get() == 200)
  }

  @Test("the articles' number store carries a number from one program to another")
  func numberStore() async throws {
    let real = try RealHub()
    let stores = [real.hub, real.other].map { hub in
      withDependencies {
        $0.hub = hub
      } operation: {
        NumberStore.hub()
      }
    }
    await stores[0].updateValue(8)
    for await number in await stores[1].value() {
      #expect(number == 8)
      break
    }
  }
}
