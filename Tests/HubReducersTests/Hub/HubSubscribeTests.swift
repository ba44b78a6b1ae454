// Tests subscriptions to stores of the hub, on a hub in memory: elements, lifecycle, retriggers, stops, conditions.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Feature {
  struct State: Equatable {
    var number = 0
    var text = ""
    var room = 1
    var isOpen = false
    var life: [SubscriptionEvent] = []
  }

  enum Action: Equatable, Sendable {
    case task
    case stop
    case open(Bool)
    case enter(Int)
    case newNumberReceived(Int)
    case newStringReceived(String)
    case life(SubscriptionEvent)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task, .stop: break
      case .open(let isOpen): state.isOpen = isOpen
      case .enter(let room): state.room = room
      case .newNumberReceived(let number): state.number = number
      case .newStringReceived(let text): state.text = text
      case .life(let event): state.life.append(event)
      }
      return .none
    }
  }
}

@Suite struct HubSubscribeTests {
  private let memory = InMemoryHub()
  private let hub: Hub
  /// What another program holds.
  private let number: SharedValue<Int>

  init() {
    hub = memory.connect()
    number = memory.connect().value("number", of: Int.self)
  }

  private func store(
    @ReducerBuilder<Feature.State, Feature.Action> _ reducer: () -> some ReducerOf<Feature>
  ) -> TestStoreOf<Feature> {
    TestStore(initialState: Feature.State(), reducer: reducer)
  }

  private var followed: SharedValue<Int> { hub.value("number") }

  private func watchers(_ name: String = "number") async throws -> Int {
    Int(try await number.hub.describe(name).watchers)
  }

  @Test("the current value comes first, then each newer one, and nothing follows the end")
  func with() async throws {
    try await number.set(1)
    let store = store { Feature().subscribe(to: followed, on: \.task, with: \.newNumberReceived) }
    let task = await store.send(.task)
    await store.receive(\.newNumberReceived, 1) { $0.number = 1 }
    try await number.set(2)
    await store.receive(\.newNumberReceived, 2) { $0.number = 2 }
    #expect(try await watchers() == 1)
    await task.cancel()
    #expect(try await watchers() == 0)
    try await number.set(3)
    await store.finish()
  }

  @Test("a subscription with a condition gets the values with which it starts or stops holding")
  func withCondition() async throws {
    try await number.set(1)
    let store = store {
      Feature()
        .subscribe(
          to: { [followed] in followed.values(when: .greater(10)) }, on: \.task, with: \.newNumberReceived)
    }
    let task = await store.send(.task)
    await store.receive(\.newNumberReceived, 1) { $0.number = 1 }
    for value in [10, 11, 20, 5, 6] { try await number.set(value) }
    await store.receive(\.newNumberReceived, 11) { $0.number = 11 }
    await store.receive(\.newNumberReceived, 5) { $0.number = 5 }
    await task.cancel()
    await store.finish()
  }

  @Test("values are transformed on the way, or handled by an operation, in a row of subscriptions")
  func transformed() async throws {
    try await number.set(4)
    let store = store {
      Feature()
        .subscribe(to: followed.map { "\($0)" }, on: \.task, with: \.newStringReceived)
        .subscribe(to: followed, on: \.task) { send, number in await send(.newNumberReceived(number + 1)) }
    }
    let task = await store.send(.task)
    await store.receive(\.newNumberReceived, 5) { $0.number = 5 }
    await store.receive(\.newStringReceived, "4") { $0.text = "4" }
    #expect(try await watchers() == 1, "one watch of the process")
    await task.cancel()
    #expect(try await watchers() == 0)
  }

  @Test("a store that does not exist yet is waited for; a removal is passed over")
  func notThere() async throws {
    let store = store { Feature().subscribe(to: followed, on: \.task, with: \.newNumberReceived) }
    let task = await store.send(.task)
    try await number.set(1)
    await store.receive(\.newNumberReceived, 1) { $0.number = 1 }
    try await number.remove()
    try await number.set(2)
    await store.receive(\.newNumberReceived, 2) { $0.number = 2 }
    await task.cancel()
  }

  @Test("the subscription tells when the hub answers, and when it is back")
  func connected() async throws {
    try await number.set(1)
    let store = store {
      Feature().subscribe(to: followed, on: \.task, with: \.newNumberReceived).lifecycle(\.life)
    }
    let task = await store.send(.task)
    await store.receive(.life(.connected)) { $0.life = [.connected] }
    await store.receive(\.newNumberReceived, 1) { $0.number = 1 }
    memory.restart(keepingState: true)
    memory.advance(by: .seconds(2))
    await store.receive(.life(.connected)) { $0.life = [.connected, .connected] }
    memory.restart(keepingState: false)
    memory.advance(by: .seconds(2))
    await store.receive(.life(.connected)) { $0.life = [.connected, .connected, .connected] }
    try await number.set(9)
    await store.receive(\.newNumberReceived, 9) { $0.number = 9 }
    await task.cancel()
  }

  @Test(
    "the subscription tells what its values are worth: the provider goes, the hub goes, all is well again")
  func freshness() async throws {
    try await number.set(1)
    let store = store {
      Feature().subscribe(to: followed, on: \.task, with: \.newNumberReceived).lifecycle(\.life)
    }
    store.exhaustivity = .off
    let task = await store.send(.task)
    await store.receive(\.newNumberReceived, 1)
    let claim = try hub.claim(number.name)
    let serving = Task { for try await _ in claim.writes {} }
    while try await hub.claims().first?.state != .live { await Task.yield() }
    try await claim.suspend(because: "the bus is gone")
    func told() async -> Freshness? {
      await store.skipReceivedActions(strict: false)
      for case .freshness(let freshness) in store.state.life.reversed() { return freshness }
      return nil
    }
    #expect(await told()?.reason == "\(number.name): the bus is gone")
    try await claim.resume()
    #expect(await told() == .live)
    memory.stop()
    guard case .unreachable = await told() else { throw HubError(.timeout, "\(store.state.life)") }
    serving.cancel()
    try await serving.value
    await task.cancel()
  }

  @Test("what is skipped is counted exactly; with every value asked for there is nothing to count")
  func skipped() async throws {
    try await number.set(0)
    for (policy, reads) in [
      (StreamPolicy.latest(), [5]), (.latest(2), [4, 5]), (.every(), [1, 2, 3, 4, 5]),
    ] {
      let store = store {
        Feature().subscribe(
          to: followed.with(policy), on: \.task, with: \.newNumberReceived
        ).lifecycle(\.life)
      }
      store.exhaustivity = .off
      let task = await store.send(.task)
      await store.receive(\.newNumberReceived, 0)
      // The store under test does not run meanwhile.
      for value in 1...5 { try await number.set(value) }
      await store.skipReceivedActions()
      let skipped = 5 - reads.count
      #expect(store.state.number == 5)
      #expect(store.state.life == [.connected] + (skipped > 0 ? [.skipped(skipped)] : []))
      await task.cancel()
      try await number.set(0)
    }
  }

  @Test("a value of another type is told, and the next right one arrives")
  func undecodable() async throws {
    let store = store {
      Feature().subscribe(to: followed, on: \.task, with: \.newNumberReceived).lifecycle(\.life)
    }
    store.exhaustivity = .off
    let task = await store.send(.task)
    try await number.hub.anyValue("number").set(.string("five"))
    await store.receive(\.life.failed)
    try await number.remove()
    try await number.set(5)
    await store.receive(\.newNumberReceived, 5) { $0.number = 5 }
    await task.cancel()
  }

  @Test("an error that waiting does not mend ends the subscription, with an action or else as an issue")
  func failed() async throws {
    let bad: SharedValue<Int> = hub.value("not a name")
    let told = store {
      Feature().subscribe(to: bad, on: \.task, with: \.newNumberReceived).lifecycle(\.life)
    }
    told.exhaustivity = .off
    await told.send(.task)
    await told.receive(\.life.failed)
    await told.finish()

    let silent = store { Feature().subscribe(to: bad, on: \.task, with: \.newNumberReceived) }
    let messages = await issues {
      await silent.send(.task)
      await silent.finish()
    }
    #expect(messages.count == 1 && messages[0].contains("not a name"))
  }

  @Test("a hub that is closed ends the subscription with closed")
  func closed() async throws {
    let store = store {
      Feature().subscribe(to: followed, on: \.task, with: \.newNumberReceived).lifecycle(\.life)
    }
    store.exhaustivity = .off
    await store.send(.task)
    hub.close()
    await store.receive(\.life.failed)
    await store.finish()
  }

  @Test("retriggers restart, are ignored, or add another; a stop action ends all")
  func retrigger() async throws {
    try await number.set(1)
    for (policy, copies) in [(Retrigger.restart, 1), (.ignore, 1), (.addAnother, 3)] {
      let store = store {
        Feature().subscribe(
          to: followed, on: \.task, with: \.newNumberReceived
        ).until(\.stop).onRetrigger(policy)
      }
      store.exhaustivity = .off
      for _ in 0..<3 { await store.send(.task) }
      await store.skipReceivedActions(strict: false)
      store.exhaustivity = .on
      let next = try await number.get() + 1
      try await number.set(next)
      await store.receive(\.newNumberReceived, next) { $0.number = next }
      for _ in 1..<copies { await store.receive(\.newNumberReceived, next) }
      await store.send(.stop)
      await store.finish()
      #expect(try await watchers() == 0)
    }
  }

  @Test("the store can be named by the state when the trigger comes")
  func argument() async throws {
    try await number.hub.value("room.2").set(20)
    let store = store {
      Feature().subscribe(
        to: { [hub] in hub.value("room.\($0)", of: Int.self) }, using: \.room, on: \.task,
        with: \.newNumberReceived)
    }
    await store.send(.enter(2)) { $0.room = 2 }
    let task = await store.send(.task)
    await store.receive(\.newNumberReceived, 20) { $0.number = 20 }
    await task.cancel()
  }

  @Test("a store that the state names is transformed, at a trigger or under a condition")
  func argumentForms() async throws {
    try await number.hub.value("room.1").set(10)
    let room = { @Sendable [hub] (number: Int) in hub.value("room.\(number)", of: Int.self).map { "\($0)" } }
    for isTriggered in [true, false] {
      let store = store {
        if isTriggered {
          Feature().subscribe(to: room, using: \.room, on: \.task, with: \.newStringReceived)
        } else {
          Feature()
            .subscribe(to: room, while: { $0.isOpen ? $0.room : nil }, with: \.newStringReceived)
        }
      }
      store.exhaustivity = .off
      await store.send(isTriggered ? .task : .open(true))
      await store.receive(\.newStringReceived, "10")
      await store.cancelInFlightEffects()
    }
  }

  @Test("while a condition holds the store is watched, and not a moment longer")
  func condition() async throws {
    try await number.set(1)
    let store = store { Feature().subscribe(to: followed, while: \.isOpen, with: \.newNumberReceived) }
    await store.send(.open(true)) { $0.isOpen = true }
    await store.receive(\.newNumberReceived, 1) { $0.number = 1 }
    #expect(try await watchers() == 1)
    await store.send(.open(false)) { $0.isOpen = false }
    #expect(try await watchers() == 0)
    await store.finish()
  }

  @Test("while a condition holds, values are transformed")
  func conditionForms() async throws {
    try await number.set(1)
    let store = store {
      Feature().subscribe(to: followed.map { "\($0)" }, while: \.isOpen, with: \.newStringReceived)
    }
    await store.send(.open(true)) { $0.isOpen = true }
    await store.receive(\.newStringReceived, "1") { $0.text = "1" }
    await store.send(.open(false)) { $0.isOpen = false }
    await store.finish()
  }

  @Test("the store that the state names is followed, and another when the state names another")
  func argumentWhile() async throws {
    for room in 1...2 { try await number.hub.value("room.\(room)").set(room * 10) }
    let store = store {
      Feature().subscribe(
        to: { [hub] in hub.value("room.\($0)", of: Int.self) }, while: { $0.isOpen ? $0.room : nil },
        with: \.newNumberReceived)
    }
    await store.send(.open(true)) { $0.isOpen = true }
    await store.receive(\.newNumberReceived, 10) { $0.number = 10 }
    await store.send(.enter(2)) { $0.room = 2 }
    await store.receive(\.newNumberReceived, 20) { $0.number = 20 }
    #expect(try await watchers("room.1") == 0)
    #expect(try await watchers("room.2") == 1)
    await store.send(.open(false)) { $0.isOpen = false }
    #expect(try await watchers("room.2") == 0)
  }

  @Test("the events themselves are a sequence like any other: removals and revisions are there")
  func events() async throws {
    try await number.set(1)
    let store = store {
      Feature().subscribe(
        to: { [followed] in followed.events(.every()) }, on: \.task, with: \.newStringReceived
      ) {
        "\($0.kind)"
      }
    }
    store.exhaustivity = .off
    let task = await store.send(.task)
    try await number.remove()
    await store.receive(\.newStringReceived, "removed") { $0.text = "removed" }
    await task.cancel()
  }
}
