// Tests what a test store insists on: each way in which a feature or a test can be wrong fails, at once.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Feature {
  struct State: Equatable, Sendable {
    var count = 0
    var ticks = 0
  }

  enum Action: Equatable, Sendable {
    case increment
    case nothing
    case echo(Int)
    case ask(Int)
    case wait
    case tickThrice
    case tick
    case onMain
    case outside(Duration)
  }

  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .increment: state.count += 1
      case .nothing: break
      case .echo(let number): state.count = number
      case .ask(let count):
        return .run { send in
          for number in 1...count { await send(.echo(number)) }
        }
      case .wait: return .run(name: "waiting") { _ in await never() }
      case .tick: state.ticks += 1
      case .tickThrice:
        return .run { send in
          for _ in 1...3 {
            try await clock.sleep(for: .seconds(1))
            await send(.tick)
          }
        }
      case .onMain:
        return .run { send in
          let number = await onMain()
          await send(.echo(number))
        }
      case .outside(let time):
        return .run { send in
          try? await withExternalWork("the wall clock") { try await Task.sleep(for: time) }
          await send(.echo(9))
        }
      }
      return .none
    }
  }
}

@MainActor private func onMain() -> Int { 5 }

/// The messages of the failures that `operation` causes with a new store.
private func failures(
  _ exhaustivity: Exhaustivity = .on, _ operation: (TestStoreOf<Feature>) async -> Void
) async -> [String] {
  await testFailures {
    let store = TestStore(initialState: Feature.State()) { Feature() }
    store.exhaustivity = exhaustivity
    store.timeout = .milliseconds(20)
    store.externalTimeout = .milliseconds(20)
    await operation(store)
  }
}

@Suite struct TestStoreTests {
  @Test("everything asserted: no failure")
  func met() async {
    let failures = await failures { store in
      await store.send(.increment) { $0.count = 1 }
      await store.send(.nothing)
      await store.send(.ask(2))
      await store.receive(.echo(1))
      await store.receive(\.echo, 2) { $0.count = 2 }
      store.assert { $0.count = 2 }
      await store.finish()
    }
    #expect(failures == [])
  }

  @Test("a state other than expected fails with the difference")
  func wrongState() async {
    let failures = await failures { await $0.send(.increment) { $0.count = 2 } }
    #expect(failures.count == 1)
    #expect(
      (failures.first ?? "").contains("-   - count: 2") && (failures.first ?? "").contains("+   - count: 1"))
  }

  @Test("a change that is not asserted fails")
  func unassertedChange() async {
    #expect(await failures { await $0.send(.increment) }.count == 1)
  }

  @Test("a closure that changes nothing fails when nothing changed")
  func pointlessClosure() async {
    let failures = await failures { await $0.send(.nothing) { $0.count = 0 } }
    #expect(failures.count == 1 && (failures.first ?? "").contains("Remove the closure"))
  }

  @Test("sending with received actions left fails and names them")
  func unreceived() async {
    let failures = await failures { store in
      await store.send(.ask(1))
      await store.send(.nothing)
    }
    #expect(failures.count == 1 && (failures.first ?? "").contains("echo(1)"))
  }

  @Test("receiving when nothing comes fails, and says what is in flight")
  func nothingReceived() async {
    let failures = await failures { store in
      await store.receive(.echo(1))
      let task = await store.send(.wait)
      await store.receive(.echo(1))
      await task.cancel()
    }
    #expect(failures.count == 2)
    #expect((failures.first ?? "").contains("No effect is running"))
    #expect(
      (failures.last ?? "").contains("\"waiting\" at HubReducersTests/TestStoreTests.swift")
        && (failures.last ?? "").contains("started by wait"))
  }

  @Test("a different action, payload or order fails")
  func wrongAction() async {
    let failures = await failures { store in
      await store.send(.ask(3))
      await store.receive(.echo(2)) { $0.count = 1 }
      await store.receive(\.tick)
      await store.receive(\.echo, 4)
    }
    #expect(failures.count == 3)
    #expect((failures.first ?? "").contains("Expected to receive echo(2), but received echo(1)"))
  }

  @Test("finishing with effects that cannot end, or with received actions left, fails")
  func finish() async {
    let failures = await failures { store in
      await store.send(.wait)
      await store.finish()
      await store.skipInFlightEffects()
      await store.send(.ask(1))
      await store.finish()
    }
    #expect(failures.count == 2)
    #expect((failures.first ?? "").contains("waiting"))
    #expect((failures.last ?? "").contains("echo(1)"))
  }

  @Test("the end of the test with effects in flight, or received actions left, fails")
  func end() async {
    #expect(await failures { await $0.send(.wait) }.count == 1)
    #expect(await failures { await $0.send(.ask(1)) }.count == 1)
  }

  @Test("a task that cannot finish fails; a cancelled one finishes")
  func task() async {
    let failures = await failures { store in
      let task = await store.send(.wait)
      await task.finish()
      await task.cancel()
      #expect(task.isCancelled)
      await task.finish()
    }
    #expect(failures.count == 1)
  }

  @Test("skipping when there is nothing to skip fails if strict")
  func skipping() async {
    let failures = await failures { store in
      await store.skipReceivedActions()
      await store.skipInFlightEffects()
      await store.skipReceivedActions(strict: false)
      await store.skipInFlightEffects(strict: false)
      await store.send(.ask(3))
      await store.skipReceivedActions()
      #expect(store.state.count == 3)
    }
    #expect(failures.count == 2)
  }

  @Test("without exhaustivity only what is asserted is checked")
  func nonExhaustive() async {
    let failures = await failures(.off) { store in
      await store.send(.increment)
      await store.send(.increment) { $0.count = 2 }
      await store.send(.ask(5))
      await store.receive(.echo(4)) { $0.count = 4 }
      await store.send(.wait)
      #expect(store.state.count == 5)
      await store.send(.increment) { $0.count = 7 }
    }
    #expect(failures.count == 1)
  }

  @Test("what is passed over is mentioned if asked")
  func mentions() async {
    let notes = await failures(.off(showSkippedAssertions: true)) { store in
      await store.send(.increment)
      await store.send(.ask(2))
      await store.receive(.echo(2)) { $0.count = 2 }
    }
    #expect(notes.contains { $0.contains("State changes that were not asserted") })
    #expect(notes.contains { $0.contains("Skipped actions") })
  }

  @Test("exhaustivity can change for a part of a test")
  func partly() async {
    let failures = await failures { store in
      await store.withExhaustivity(.off) { _ = await store.send(.increment) }
      await store.send(.increment) { $0.count = 2 }
    }
    #expect(failures == [])
  }

  @Test("time moves only with the test's clock, tick by tick")
  func clock() async {
    let clock = TestClock()
    let store = TestStore(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.tickThrice)
    await clock.advance(by: .milliseconds(999))
    await clock.advance(by: .milliseconds(1))
    await store.receive(.tick) { $0.ticks = 1 }
    await clock.advance(by: .seconds(5))
    await store.receive(.tick) { $0.ticks = 2 }
    await store.receive(.tick) { $0.ticks = 3 }
    await store.finish()
  }

  @Test("a detour over the main actor is part of being idle")
  func mainActor() async {
    let failures = await failures { store in
      for _ in 0..<20 {
        await store.send(.onMain)
        await store.skipReceivedActions()
      }
    }
    #expect(failures == [])
  }

  @Test("a test store works on the main actor too")
  @MainActor func onTheMainActor() async {
    let store = TestStore(initialState: Feature.State()) { Feature() }
    await store.send(.onMain)
    await store.receive(.echo(5)) { $0.count = 5 }
  }

  @Test("work outside the test is waited for, and named if it does not come")
  func outside() async {
    let store = TestStore(initialState: Feature.State()) { Feature() }
    await store.send(.outside(.milliseconds(1)))
    await store.receive(.echo(9)) { $0.count = 9 }
    await store.finish()

    let failures = await failures { store in
      await store.send(.outside(.seconds(600)))
      await store.receive(.echo(9))
      await store.skipInFlightEffects()
      await store.skipReceivedActions(strict: false)
    }
    #expect(failures.count == 1)
    #expect((failures.first ?? "").contains("waiting outside the test for: the wall clock"))
  }

  @Test("work outside that is not announced is waited for if told so")
  func timeout() async {
    let (stream, input) = AsyncStream<Int>.makeStream()
    let store = TestStore(initialState: 0) {
      Reduce<Int, Int> { state, action in
        state = action
        return action == 0
          ? .run { send in
            for await number in stream { await send(number) }
          } : .none
      }
    }
    await store.send(0)
    let helper = Thread { input.yield(1) }
    await store.receive({ $0 == 1 }, timeout: .seconds(3600)) { $0 = 1 }
    helper.join()
    input.finish()
    await store.finish()
  }
}
