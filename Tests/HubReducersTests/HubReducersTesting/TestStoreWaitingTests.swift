// Tests effects that wait for something which the test's executor does not run: callbacks, threads, tasks of their own.

import Dispatch
import HubReducers
import HubReducersTesting
import Synchronization
import TestSupport
import Testing

/// An interface of callbacks, which come on a thread of its own.
private struct Callbacks: Sendable {
  func ask(_ answer: @escaping @Sendable (Int) -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { answer(7) }
  }

  var answer: Int {
    get async { await withCheckedContinuation { continuation in ask { continuation.resume(returning: $0) } } }
  }
}

/// A stream that a task of its own feeds.
private func fedByTask(_ count: Int) -> AsyncStream<Int> {
  AsyncStream { continuation in
    let task = Task {
      for number in 1...count {
        await Task.yield()
        continuation.yield(number)
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
  }
}

@Reducer
private struct Feature {
  struct State: Equatable { var numbers: [Int] = [] }

  enum Action: Equatable, Sendable {
    case ask
    case follow
    case never
    case detour
    case got(Int)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .ask: return .run { send in await send(.got(Callbacks().answer)) }
      case .follow: return .run { send in for await number in fedByTask(3) { await send(.got(number)) } }
      case .detour: return .run { send in await send(.got(Task.detached { 5 }.value)) }
      case .never: return .run { _ in await HubReducersTests.never() }
      case .got(let number):
        state.numbers.append(number)
        return .none
      }
    }
  }
}

private func makeStore() -> TestStoreOf<Feature> {
  let store = TestStore(initialState: Feature.State()) { Feature() }
  // How long a process takes whose threads are all busy is not what is tried here.
  store.timeout = .seconds(60)
  return store
}

struct TestStoreWaitingTests {
  /// How often each is tried: what is flaky shows up. More with a loop around the test.
  private static let times = 1...10

  @Test("an answer by callback is waited for, without a word about time")
  func callback() async {
    for _ in Self.times {
      let store = makeStore()
      await store.send(.ask)
      await store.receive(.got(7)) { $0.numbers = [7] }
    }
  }

  @Test("a stream that a task of its own feeds is waited for, element by element")
  func innerTask() async {
    for _ in Self.times {
      let store = makeStore()
      await store.send(.follow)
      for number in 1...3 { await store.receive(.got(number)) { $0.numbers.append(number) } }
      await store.finish()
    }
  }

  @Test("a detour over a detached task is waited for")
  func detachedTask() async {
    for _ in Self.times {
      let store = makeStore()
      await store.send(.detour)
      await store.receive(\.got, 5) { $0.numbers = [5] }
    }
  }

  @Test("finishing, and skipping what was received, wait as well")
  func finishing() async {
    for _ in Self.times {
      let store = makeStore()
      store.exhaustivity = .off
      let task = await store.send(.follow)
      await task.finish()
      #expect(store.state.numbers == [])
      await store.send(.ask)
      await store.finish()
      await store.skipReceivedActions()
      await store.send(.ask)
      await store.skipReceivedActions()
      #expect(store.state.numbers == [1, 2, 3, 7, 7])
    }
  }

  @Test("a test without exhaustivity waits for the action that it wants")
  func nonExhaustive() async {
    for _ in Self.times {
      let store = makeStore()
      store.exhaustivity = .off
      await store.send(.follow)
      await store.receive(.got(3)) { $0.numbers = [1, 2, 3] }
    }
  }

  @Test("waiting ends with the store's timeout, or with the call's")
  func timeouts() async {
    let messages = await testFailures {
      let store = makeStore()
      store.timeout = .milliseconds(5)
      let task = await store.send(.never)
      await store.receive(\.got)
      store.timeout = .unhurried
      await store.receive(\.got, timeout: .milliseconds(5))
      await store.finish(timeout: .milliseconds(5))
      await task.finish(timeout: .milliseconds(5))
      await store.cancelInFlightEffects()
    }
    #expect(messages.count == 4)
    #expect((messages.first ?? "").contains("If they wait for a TestClock, advance it"))
  }

  @Test("nothing is waited for when no effect is in flight")
  func nothingInFlight() async {
    let messages = await testFailures {
      let store = makeStore()
      store.timeout = .unhurried
      await store.receive(\.got)
      await store.skipReceivedActions()
      await store.finish()
    }
    #expect(messages.count == 2)
  }
}
