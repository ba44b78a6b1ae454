// Tests the store on the main actor: order, one publication per send, tasks, scopes, observation, shutdown.

import HubReducers
import HubReducersSamples
import HubReducersTesting
import Observation
import Synchronization
import Testing

@Reducer
private struct Counter {
  struct State: Equatable, Sendable {
    var count = 0
    var order: [Int] = []
    var child = 0
    var sheet: Int?
  }

  enum Action: Equatable, Sendable {
    case increment
    case burst(Int)
    case note(Int)
    case later
    case forever
    case child(Child)
    case sheet(Child)
    case show(Int?)

    @CasePathable
    enum Child: Equatable, Sendable {
      case set(Int)
    }
  }

  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Reduce { [log] state, action in
      switch action {
      case .increment:
        state.count += 1
        return .none
      case .burst(let count):
        state.count += 1
        return .merge((0..<count).map { .send(.note($0)) })
      case .note(let number):
        state.order.append(number)
        return .none
      case .later:
        return .run { send in
          await send(.increment)
          await send(.increment)
        }
      case .forever:
        return .run { _ in
          log.append("begin")
          await never()
          log.append("end")
        }
      case .child(.set(let value)):
        state.child = value
        return .none
      case .sheet(.set(let value)):
        state.sheet = value
        return .none
      case .show(let value):
        state.sheet = value
        return .none
      }
    }
  }
}

@Suite @MainActor struct StoreTests {
  private let counter = Counter()

  private func makeStore() -> StoreOf<Counter> {
    Store(initialState: Counter.State()) { counter }
  }

  @Test("a send reduces at once, with everything that follows at once")
  func synchronous() {
    let store = makeStore()
    store.send(.burst(3))
    #expect(store.state.count == 1)
    #expect(store.state.order == [0, 1, 2])
  }

  @Test("the task of a send finishes when its effects and theirs have")
  func finish() async {
    let store = makeStore()
    await store.send(.later).finish()
    #expect(store.state.count == 2)
    await store.send(.increment).finish()
    #expect(store.state.count == 3)
  }

  @Test("cancelling a send's task, or the task that waits for it, ends its effects")
  func cancel() async {
    let store = makeStore()
    let task = store.send(.forever)
    task.cancel()
    await task.finish()
    #expect(task.isCancelled)
    #expect(counter.log.entries == [] || counter.log.entries == ["begin", "end"])

    let waiting = Task { await store.send(.forever).finish() }
    waiting.cancel()
    await waiting.value
  }

  @Test("observers hear of one change per outermost send, with the final state")
  func onePublication() async {
    let store = makeStore()
    let changes = Mutex(0)
    func observe() {
      withObservationTracking {
        _ = store.state
      } onChange: {
        changes.withLock { $0 += 1 }
      }
    }
    observe()
    store.send(.burst(50))
    #expect(changes.withLock { $0 } == 1)
    observe()
    store.send(.increment)
    #expect(changes.withLock { $0 } == 2)
  }

  @Test("a send from a reducer or an observer queues after what is under way, and is not lost")
  func reentrancy() async {
    let back = Mutex<(@Sendable (Int) -> Void)?>(nil)
    let store = Store(initialState: [Int]()) {
      Reduce<[Int], Int> { state, action in
        state.append(action)
        if action == 0 {
          back.withLock { $0 }?(1)
          back.withLock { $0 }?(2)
        }
        return action == 0 ? .send(3) : .none
      }
    }
    back.withLock { $0 = { [weak store] action in MainActor.assumeIsolated { _ = store?.send(action) } } }
    store.send(0)
    #expect(store.state == [0, 1, 2, 3])

    withObservationTracking {
      _ = store.state
    } onChange: {
      back.withLock { $0 }?(5)
    }
    store.send(4)
    #expect(store.state == [0, 1, 2, 3, 4, 5])
  }

  @Test("reading the store's own state in a reducer stops the program with a reason")
  func stateInReducer() async {
    await #expect(processExitsWith: .failure) { @MainActor in
      let back = Mutex<(@Sendable () -> Void)?>(nil)
      let store = Store(initialState: 0) {
        Reduce<Int, Int> { _, _ in
          back.withLock { $0 }?()
          return .none
        }
      }
      back.withLock { $0 = { [weak store] in MainActor.assumeIsolated { _ = store?.state } } }
      store.send(0)
    }
  }

  @Test("reducers that answer each other without end are stopped and reported with the chain")
  func cycle() {
    let store = Store(initialState: 0) {
      Reduce<Int, String> { state, action in
        state += 1
        return .send(action == "ping" ? "pong" : "ping")
      }
    }
    let messages = issues { store.send("ping") }
    #expect(store.state == 200_000)
    #expect(messages.count == 1)
    #expect((messages.first ?? "").contains("ping -> pong"))
  }

  @Test("the states are a sequence: the present one, then the newest")
  func states() async {
    let store = makeStore()
    store.send(.increment)
    var iterator = store.states.makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation)?.count == 1)
    store.send(.increment)
    store.send(.increment)
    #expect(await iterator.next(isolation: #isolation)?.count == 3)
    let reader = Task.detached { [states = store.states] in
      for await state in states where state.count == 5 { return true }
      return false
    }
    store.send(.increment)
    store.send(.increment)
    #expect(await reader.value)
  }

  @Test("the states end with the store")
  func statesEnd() async {
    var store: StoreOf<Counter>? = makeStore()
    let states = store!.states
    let reader = Task {
      var count = 0
      for await _ in states { count += 1 }
      return count
    }
    await Task.yield()
    store = nil
    #expect(await reader.value <= 1)
  }

  @Test("a scoped store shows its part and sends its case")
  func scope() {
    let store = makeStore()
    let child = store.scope(state: \.child, action: \.child)
    child.send(.set(5))
    #expect(child.state == 5 && store.state.child == 5)
    #expect(store.scope(state: \.sheet, action: \.sheet) == nil)
    store.send(.show(1))
    let sheet = store.scope(state: \.sheet, action: \.sheet)
    sheet?.send(.set(2))
    #expect(sheet?.state == 2)
    let same = store.scope(\.sheet, action: \.sheet)
    same?.send(.set(3))
    #expect(sheet?.state == 3 && store.scope(\.child, action: \.child).state == 5)
    store.send(.show(nil))
    #expect(sheet?.state == 3 && store.scope(\.sheet, action: \.sheet) == nil)
  }

  @Test("a store that goes away ends its effects; shutdown waits for that")
  func end() async {
    var store: StoreOf<Counter>? = makeStore()
    let task = store!.send(.forever)
    store = nil
    await task.finish()

    let other = makeStore()
    let running = other.send(.forever)
    await other.shutdown()
    await running.finish()
    let late = other.send(.forever)
    await late.finish()
    #expect(other.state == Counter.State())
  }

  @Test("dependencies given to a store reach the state's making, the reducer and its effects")
  func dependencies() async {
    @Dependency(\.numberStore) var outside
    let number = NumberStore.inMemory(7)
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { state, action in
        if action > 0 { state = action }
        return .none
      }
      .subscribe(
        to: {
          @Dependency(\.numberStore) var numberStore
          return await numberStore.value()
        }, on: \.self, with: \.self
      ).onRetrigger(.ignore)
    } withDependencies: {
      $0.numberStore = number
    }
    let task = store.send(0)
    for await state in store.states where state == 7 { break }
    task.cancel()
    await task.finish()
  }
}
