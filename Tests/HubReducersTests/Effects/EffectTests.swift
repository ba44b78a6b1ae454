// Tests the order, combination and translation of effects.

import HubReducers
import HubReducersTesting
import Testing

/// A reducer whose one action says which effect it has; the state is the list of actions seen.
private struct Script: Reducer {
  enum Action: Equatable, Sendable {
    case run(Int)
    case saw(Int)
  }

  let effects: [Int: Effect<Action>]

  func reduce(into state: inout [Action], action: Action) -> Effect<Action> {
    state.append(action)
    guard case .run(let index) = action else { return .none }
    return effects[index] ?? .none
  }
}

private func play(_ effects: Effect<Script.Action>...) async -> [Script.Action] {
  let numbered = Dictionary(uniqueKeysWithValues: effects.enumerated().map { ($0.offset, $0.element) })
  let store = TestStore(initialState: []) { Script(effects: numbered) }
  store.exhaustivity = .off
  await store.send(.run(0))
  await store.finish()
  await store.skipReceivedActions(strict: false)
  return store.state
}

private func say(_ numbers: Int...) -> Effect<Script.Action> {
  .run { send in
    for number in numbers { await send(.saw(number)) }
  }
}

@Suite struct EffectTests {
  @Test("none does nothing, and combining with it changes nothing")
  func none() async {
    #expect(await play(.none) == [.run(0)])
    #expect(await play(.merge(.none, .none)) == [.run(0)])
    #expect(await play(Effect.none.concatenate(with: say(1)).merge(with: .none)) == [.run(0), .saw(1)])
  }

  @Test("an action sent at once is reduced before any asynchronous effect starts")
  func sendBeforeRun() async {
    #expect(await play(.merge(say(2), .send(.saw(1)))) == [.run(0), .saw(1), .saw(2)])
  }

  @Test("actions sent at once keep their order, breadth first")
  func sendOrder() async {
    let seen = await play(
      .merge(.send(.run(1)), .send(.saw(1))), .merge(.send(.saw(2)), .send(.saw(3))))
    #expect(seen == [.run(0), .run(1), .saw(1), .saw(2), .saw(3)])
  }

  @Test("merged effects run at the same time, in turns on the test's executor")
  func merge() async {
    #expect(await play(.merge(say(1, 2), say(3, 4))) == [.run(0), .saw(1), .saw(3), .saw(2), .saw(4)])
    let (stream, input) = AsyncStream<Int>.makeStream()
    let waiting = Effect<Script.Action>.run { send in
      for await number in stream { await send(.saw(number)) }
    }
    let feeding = Effect<Script.Action>.run { send in
      await send(.saw(1))
      input.yield(2)
      input.finish()
    }
    #expect(await play(.merge(waiting, feeding)) == [.run(0), .saw(1), .saw(2)])
  }

  @Test("concatenated effects run one after the other")
  func concatenate() async {
    let seen = await play(.concatenate(say(1, 2), .send(.saw(3)), say(4), .none, .send(.saw(5))))
    #expect(seen == [.run(0), .saw(1), .saw(2), .saw(3), .saw(4), .saw(5)])
  }

  @Test("nesting merges and sequences does not change what happens")
  func nesting() async {
    let flat = await play(.concatenate(say(1), say(2), say(3)))
    #expect(await play(.concatenate(say(1), .concatenate(say(2), say(3)))) == flat)
    #expect(await play(.concatenate(.concatenate(say(1), say(2)), say(3))) == flat)
    #expect(
      await play(.concatenate(.merge(say(1), .send(.saw(9))), say(2)))
        == [.run(0), .saw(9), .saw(1), .saw(2)])
  }

  @Test("map translates what every kind of effect sends")
  func map() async {
    let inner: Effect<Int> = .concatenate(
      .merge(.send(1), .run { send in await send(2) }),
      .run { send in await send(3) }.cancellable(id: "x"), .cancel(id: "x"))
    #expect(await play(inner.map { .saw($0 * 10) }) == [.run(0), .saw(10), .saw(20), .saw(30)])
  }

  @Test("an error that nothing catches is reported at the effect's line")
  func uncaughtError() async {
    struct Broken: Error {}
    let messages = await issues { _ = await play(.run { _ in throw Broken() }) }
    #expect(messages.count == 1)
    #expect((messages.first ?? "").contains("Broken"))
  }

  @Test("an error with a handler goes there; a cancellation is not an error")
  func caughtError() async {
    struct Broken: Error {}
    let messages = await issues {
      let seen = await play(
        .concatenate(
          .run { _ in
            throw Broken()
          } catch: { error, send in
            if error is Broken { await send(.saw(1)) }
          }, .run { _ in throw CancellationError() }))
      #expect(seen == [.run(0), .saw(1)])
    }
    #expect(messages == [])
  }

  @Test("sending after the operation has returned is reported and does nothing")
  func sendAfterEnd() async {
    let escaped = Log<Send<Script.Action>>()
    let messages = await issues {
      let store = TestStore(initialState: []) {
        Script(effects: [
          0: .run { send in escaped.append(send) }, 1: .run { _ in await escaped.entries[0](.saw(1)) },
        ])
      }
      await store.send(.run(0)) { $0 = [.run(0)] }
      await store.send(.run(1)) { $0 = [.run(0), .run(1)] }
      await store.finish()
    }
    #expect(messages.count == 1)
    #expect((messages.first ?? "").contains("after its operation had returned"))
  }

  @Test("an effect sees the dependencies of the reducer that made it, also through map")
  func dependencies() async {
    struct Reader: Reducer {
      func reduce(into state: inout [String], action: String) -> Effect<String> {
        state.append(action)
        guard action == "read" else { return .none }
        return Effect<Int>.run { send in await send(1) }.map { _ in
          @Dependency(\.numberName) var name
          return name
        }
      }
    }
    let store = TestStore(initialState: []) { Reader().dependency(\.numberName, "inner") }
    await store.send("read") { $0 = ["read"] }
    await store.receive("inner") { $0 = ["read", "inner"] }
  }
}

extension DependencyValues {
  fileprivate var numberName: String {
    get { self[NumberNameKey.self] }
    set { self[NumberNameKey.self] = newValue }
  }
}

private enum NumberNameKey: DependencyKey {
  static var liveValue: String { "live" }
  static var testValue: String { "test" }
}
