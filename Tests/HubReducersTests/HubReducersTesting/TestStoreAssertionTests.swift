// Tests what a test store's closures see, and what becomes of actions and effects that a test did not deal with in time.

import HubReducers
import HubReducersTesting
import Testing

extension DependencyValues {
  fileprivate var suffix: String {
    get { self[SuffixKey.self] }
    set { self[SuffixKey.self] = newValue }
  }
}

private enum SuffixKey: DependencyKey {
  static var liveValue: String { "live" }
  static var testValue: String { "test" }
}

@Reducer
private struct Feature {
  struct State: Equatable {
    var names: [String] = []
    var count = 0
  }

  enum Action: Equatable, Sendable {
    case add
    case ask(Int)
    case answer(Int)
    case wait
  }

  @Dependency(\.suffix) var suffix
  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .add: state.names.append("x-\(suffix)")
      case .ask(let number): return .run { send in for n in 1...number { await send(.answer(n)) } }
      case .answer(let number): state.count += number
      case .wait:
        return .run { send in
          try await clock.sleep(for: .seconds(1))
          await send(.answer(10))
        }
      }
      return .none
    }
  }
}

/// The messages of the failures that `operation` causes with a new store.
private func failures(_ operation: (TestStoreOf<Feature>) async -> Void) async -> [String] {
  await testFailures { await operation(TestStore(initialState: Feature.State()) { Feature() }) }
}

@Suite struct TestStoreAssertionTests {
  @Test("closures of send, receive and assert see the store's dependencies")
  func dependencies() async {
    @Dependency(\.suffix) var suffix
    let store = TestStore(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.suffix = "mine"
    }
    await store.send(.add) { $0.names = ["x-\(suffix)"] }
    store.assert { $0.names = ["x-\(suffix)"] }
    store.dependencies.suffix = "yours"
    await store.send(.add) { $0.names.append("x-\(suffix)") }
    await store.send(.ask(1))
    await store.receive(.answer(1)) { $0.count = suffix == "yours" ? 1 : 0 }
    #expect(store.state.names == ["x-mine", "x-yours"])
    #expect(suffix == "test")
  }

  @Test("inside a closure the store's state is the one before the action")
  func stateBefore() async {
    let store = TestStore(initialState: Feature.State()) { Feature() }
    await store.send(.add) {
      #expect(store.state.names == [])
      $0.names = store.state.names + ["x-test"]
    }
    #expect(store.state.names == ["x-test"])
    await store.send(.ask(2))
    for number in 1...2 {
      await store.receive(.answer(number)) { $0.count = store.state.count + number }
    }
    #expect(store.state.count == 3)
  }

  @Test("actions that a failure complains of can still be received, and are not complained of twice")
  func receivedLate() async {
    let failures = await failures { store in
      await store.send(.ask(2))
      await store.send(.add) { $0.names = ["x-test"] }
      await store.receive(.answer(1)) { $0.count = 1 }
      await store.receive(.answer(2)) { $0.count = 3 }
      #expect(store.state == Feature.State(names: ["x-test"], count: 3))
      await store.send(.ask(1))
      await store.finish()
      await store.receive(.answer(1)) { $0.count = 4 }
      await store.send(.ask(1))
      await store.finish()
    }
    #expect(failures.count == 3)
    #expect((failures.first ?? "").contains("Before sending add, receive"))
    #expect(failures.dropFirst().allSatisfy { $0.contains("were not received") })
  }

  @Test("an action that a failure complained of does not stand in the way of the next")
  func receivedNever() async {
    let failures = await failures { store in
      await store.send(.ask(1))
      await store.send(.ask(2))
      await store.receive(.answer(2)) { $0.count = 4 }
      await store.receive(.answer(1)) { $0.count = 1 }
    }
    #expect(failures.count == 3)
    #expect(failures.contains { $0.contains("Expected to receive answer(2), but received answer(1)") })
    #expect((failures.last ?? "").contains("The test ended"))
  }

  @Test("effects that are skipped continue, and what they send is received; they need not end")
  func skippedEffects() async {
    let clock = TestClock()
    let store = TestStore(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.wait)
    await store.skipInFlightEffects()
    await clock.advance(by: .seconds(1))
    await store.receive(.answer(10)) { $0.count = 10 }
    await store.send(.wait)
    await store.skipInFlightEffects()
    await store.finish()
    let failures = await failures { store in
      store.dependencies.continuousClock = TestClock()
      await store.skipInFlightEffects()
      await store.send(.wait)
    }
    #expect(failures.count == 2)
    #expect((failures.first ?? "").contains("no effects in flight to skip"))
    #expect((failures.last ?? "").contains("effects are still running"))
  }

  @Test("all effects in flight can be cancelled at once")
  func cancelInFlight() async {
    let clock = TestClock()
    let store = TestStore(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.wait)
    await store.send(.wait)
    await store.cancelInFlightEffects()
    await clock.advance(by: .seconds(1))
    await store.finish()
    #expect(store.state.count == 0)
  }

  @Test("a failure names a case as it is written")
  func caseName() async {
    let failures = await failures { await $0.receive(\.answer) }
    #expect(failures.first?.contains("an action in \\.answer, but") == true, "\(failures)")
    let path = AnyCasePath(\PresentationAction<Result<Int, any Error>>.Cases.presented.success)
    #expect(path.name == "presented.success")
  }
}
