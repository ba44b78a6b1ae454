// Tests the store on an actor: order, isolation, states, and its end.

import HubReducers
import HubReducersTesting
import TestSupport
import Testing

@Reducer
private struct Meter {
  struct State: Equatable, Sendable {
    var total = 0
    var steps = 0
  }

  enum Action: Sendable {
    case add(Int)
    case addLater(Int)
    case stay
  }

  /// Where the reducer must run.
  var actor: (any Actor)?
  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Reduce { [actor, log] state, action in
      actor?.preconditionIsolated()
      state.steps += 1
      switch action {
      case .add(let number):
        state.total += number
        return .none
      case .addLater(let number):
        return .run { send in await send(.add(number)) }
      case .stay:
        return .run { _ in
          log.append("begin")
          await never()
          log.append("end")
        }
      }
    }
  }
}

private actor Desk {}

@Suite("A store on an actor")
struct StoreActorTests {
  @Test("actions of many tasks are handled one after another, on the actor that was given")
  func isolation() async {
    let desk = Desk()
    let store = await StoreActor(on: desk, initialState: Meter.State()) { Meter(actor: desk) }
    await withTaskGroup(of: Void.self) { group in
      for number in 1...200 {
        group.addTask {
          await (number.isMultiple(of: 2) ? store.send(.add(number)) : store.send(.addLater(number))).finish()
        }
      }
    }
    #expect(await store.state == Meter.State(total: 20_100, steps: 300))
  }

  @Test("it has an actor of its own if none is given, and several work independently")
  func own() async {
    let stores = [
      await StoreActor(initialState: Meter.State()) { Meter() },
      await StoreActor(initialState: Meter.State(total: 5)) { Meter() },
    ]
    for store in stores { await store.send(.addLater(1)).finish() }
    #expect(await [stores[0].state.total, stores[1].state.total] == [1, 6])
  }

  @Test("its states are the current one and the newest after each send, and end when it is released")
  func states() async {
    var store: StoreActor<Meter.State, Meter.Action>? =
      await StoreActor(initialState: Meter.State(total: 1)) { Meter() }
    let states = store?.states
    var iterator = states?.makeAsyncIterator()
    #expect(await iterator?.next(isolation: nil)?.total == 1)
    await store?.send(.add(2))
    await store?.send(.add(3))
    #expect(await iterator?.next(isolation: nil)?.total == 6)
    store = nil
    #expect(await iterator?.next(isolation: nil) == nil)
  }

  @Test(
    "its effects end with a shutdown, which waits for them, and when it is released",
    arguments: [true, false])
  func ending(byShutdown: Bool) async throws {
    let log = Log<String>()
    var store: StoreActor<Meter.State, Meter.Action>? =
      await StoreActor(initialState: Meter.State()) { Meter(log: log) }
    let task = await store?.send(.stay)
    try await eventually("the effect begins") { log.entries == ["begin"] }
    if byShutdown {
      await store?.shutdown()
      #expect(log.entries == ["begin", "end"])
    }
    store = nil
    await task?.finish()
    #expect(log.entries == ["begin", "end"])
  }
}
