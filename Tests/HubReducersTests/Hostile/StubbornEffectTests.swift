// Tests effects that do not do what they should: that ignore cancellation, outlive their store, send too late, throw
// whenever they like, or come by the thousand.

import HubReducers
import HubReducersTesting
import Synchronization
import TestSupport
import Testing

/// Holds whoever waits, cancelled or not, until it is opened.
private final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var waiters: Int { state.withLock { $0.waiters.count } }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

@Reducer
private struct Stubborn {
  struct State: Equatable {
    var received = 0
  }

  enum Action: Equatable, Sendable {
    case start(Int)
    case cancel
    case received
  }

  let gate = Gate()
  let ended = Log<Void>()

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start(let count):
        return .merge(
          (0..<count).map { _ in
            .run { [gate, ended] send in
              await gate.wait()
              for _ in 0..<8 { await Task.yield() }
              await send(.received)
              ended.append(())
            }
          }
        ).cancellable(id: "stubborn")
      case .cancel: return .cancel(id: "stubborn")
      case .received:
        state.received += 1
        return .none
      }
    }
  }
}

@Suite struct StubbornEffectTests {
  @Test("effects that ignore cancellation end after their test store has gone, on any number of threads")
  func outliveTestStore() async throws {
    for _ in 0..<4 {
      let stubborn = Stubborn()
      do {
        let store = TestStore(initialState: Stubborn.State()) { stubborn }
        await store.send(.start(64))
        await store.cancelInFlightEffects()
        #expect(stubborn.gate.waiters == 64)
      }
      let helper = Thread { stubborn.gate.open() }
      helper.join()
      try await eventually("all effects have ended") { stubborn.ended.entries.count == 64 }
    }
  }

  @Test("what an effect sends after its cancellation never arrives, however long it continues")
  func dropped() async {
    let stubborn = Stubborn()
    let store = TestStore(initialState: Stubborn.State()) { stubborn }
    await store.send(.start(3))
    await store.send(.cancel)
    stubborn.gate.open()
    await store.finish()
    #expect(stubborn.ended.entries.count == 3 && store.state.received == 0)
  }

  @Test("shutting a store down waits for effects that ignore it")
  @MainActor func shutdown() async {
    let stubborn = Stubborn()
    let store = Store(initialState: Stubborn.State()) { stubborn }
    store.send(.start(3))
    // Started, so that the gate has somebody to hold.
    while stubborn.gate.waiters < 3 { await Task.yield() }
    let opening = Task.detached { stubborn.gate.open() }
    await store.shutdown()
    await opening.value
    #expect(stubborn.ended.entries.count == 3 && store.state.received == 0)
  }

  @Test("stores that go away under effects which send without pause leave nothing running")
  @MainActor func deallocated() async throws {
    let running = Mutex(0)
    for _ in 0..<200 {
      let store = Store(initialState: 0) {
        Reduce<Int, Int> { state, action in
          state += 1
          guard action == 0 else { return .none }
          return .run { send in
            running.withLock { $0 += 1 }
            defer { running.withLock { $0 -= 1 } }
            while !Task.isCancelled { await send(1) }
          }
        }
      }
      store.send(0)
      store.send(0)
      await Task.yield()
    }
    try await eventually("no effect is running") { running.withLock { $0 == 0 } }
  }

  @Test("a send that is kept beyond its effect and its store does nothing, and is reported")
  @MainActor func keptSend() async throws {
    let kept = Mutex<Send<Int>?>(nil)
    let reduced = Mutex(0)
    do {
      let store = Store(initialState: 0) {
        Reduce<Int, Int> { _, action in
          reduced.withLock { $0 += 1 }
          return action > 0 ? .none : .run { send in kept.withLock { $0 = send } }
        }
      }
      await store.send(0).finish()
    }
    let send = try #require(kept.withLock { $0 })
    let messages = await issues {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { await send(1) } }
      }
    }
    #expect(messages.count == 8)
    #expect(reduced.withLock { $0 } == 1)
  }

  @Test(
    "two stores of one process never meet: not their cancel ids, not their subscriptions, not their scopes")
  @MainActor func twoStores() async throws {
    let source = Source()
    func makeStore() -> Store<[Int], Int> {
      Store(initialState: []) {
        Reduce<[Int], Int> { state, action in
          if action > 0 { state.append(action) }
          return action == -1 ? .cancel(id: "id") : .none
        }
        Reduce { _, action in
          action == 0
            ? .run { send in
              for await number in source.stream() { await send(number) }
            }.cancellable(id: "id") : .none
        }
      }
    }
    let (first, second) = (makeStore(), makeStore())
    first.send(0)
    let task = second.send(0)
    try await eventually("both read") { source.readers == 2 }
    first.send(-1)
    try await eventually("one reads") { source.readers == 1 }
    source.send(7)
    for await state in second.states where state == [7] { break }
    #expect(first.state == [])
    task.cancel()
    await task.finish()
  }

  @Test("an effect may be cancelled from any thread at any moment of its life")
  @MainActor func cancelAnywhere() async {
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { state, action in
        state += 1
        return action == 0
          ? .concatenate(
            .run { send in for number in 1...20 { await send(number) } },
            .run { send in await send(100) }
          ).cancellable(id: "id") : .none
      }
    }
    for round in 0..<200 {
      let task = store.send(0)
      let canceller = Thread {
        if round.isMultiple(of: 2) { for _ in 0..<(round * 50) { _ = task.isCancelled } }
        task.cancel()
      }
      await task.finish()
      canceller.join()
    }
    #expect(store.state >= 200)
  }

  @Test("an end is an end: waiting for many trees at once, cancelled or not, always returns")
  @MainActor func manyWaiters() async {
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { state, action in
        action > 0 ? .run { send in await send(action - 1) } : .none
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        let task = store.send(number % 7)
        group.addTask { await task.finish() }
        group.addTask { await task.finish() }
        if number.isMultiple(of: 3) { group.addTask { task.cancel() } }
      }
    }
  }
}
