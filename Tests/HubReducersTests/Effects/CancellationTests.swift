// Tests that cancellation by id reaches what it names, also before it started, and nothing else.

import HubReducers
import HubReducersTesting
import Testing

@Reducer
private struct Worker {
  struct State: Equatable {
    var seen: [Int] = []
  }

  enum Action: Equatable, Sendable {
    case start(Int)
    case startAndCancel
    case stop
    case stopAll
    case got(Int)
    case saved
  }

  var source: @Sendable () -> AsyncStream<Int> = { AsyncStream(unfolding: { await never() }) }
  var cancelInFlight = false
  var log = Log<String>()

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start(let number):
        return work(number)
      case .startAndCancel:
        return .merge(work(1), .cancel(id: "work"))
      case .stop:
        return .cancel(id: "work")
      case .stopAll:
        return .merge(.cancel(id: "work"), .cancel(id: 1), .cancel(id: true))
      case .got(let number):
        state.seen.append(number)
        return .run { [log] send in
          log.append("saving \(number)")
          await send(.saved)
        }
      case .saved:
        return .none
      }
    }
  }

  private func work(_ number: Int) -> Effect<Action> {
    .run { [source, log] send in
      log.append("started \(number)")
      for await element in source() { await send(.got(element)) }
      log.append("ended \(number)")
    }.cancellable(id: "work", cancelInFlight: cancelInFlight)
  }
}

@Suite struct CancellationTests {
  @Test("a cancel in the same batch as the start: the operation never begins")
  func cancelBeforeStart() async {
    let worker = Worker()
    let store = TestStore(initialState: Worker.State()) { worker }
    await store.send(.startAndCancel)
    await store.finish()
    #expect(worker.log.entries == [])
  }

  @Test("a live store honours a cancel right after the start")
  @MainActor func cancelBeforeStartLive() async {
    let worker = Worker()
    let store = Store(initialState: Worker.State()) { worker }
    await store.send(.startAndCancel).finish()
    #expect(worker.log.entries == [])
  }

  @Test("cancel by id ends the effect, and what it would have sent never arrives")
  func cancelRunning() async {
    let (source, input) = AsyncStream<Int>.makeStream()
    let worker = Worker(source: { source })
    let store = TestStore(initialState: Worker.State()) { worker }
    await store.send(.start(1))
    input.yield(5)
    await store.receive(.got(5)) { $0.seen = [5] }
    await store.receive(.saved)
    await store.send(.stop)
    input.yield(6)
    await store.finish()
    #expect(worker.log.entries == ["started 1", "saving 5", "ended 1"])
  }

  @Test("cancelInFlight replaces the running effect; without it both run")
  func cancelInFlight() async {
    for replaces in [true, false] {
      let worker = Worker(cancelInFlight: replaces)
      let store = TestStore(initialState: Worker.State()) { worker }
      await store.send(.start(1))
      await store.send(.start(2))
      #expect(worker.log.entries.contains("ended 1") == replaces)
      #expect(!worker.log.entries.contains("ended 2"))
      await store.cancelInFlightEffects()
    }
  }

  @Test("ids of different types never collide")
  func typedIDs() async {
    let log = Log<String>()
    let store = TestStore(initialState: 0) {
      Reduce<Int, String> { _, action in
        func wait(_ name: String) -> Effect<String> {
          .run { _ in
            for await _ in AsyncStream<Int>(unfolding: { await never() }) {}
            log.append(name)
          }
        }
        switch action {
        case "start":
          return .merge(
            wait("int").cancellable(id: 1), wait("double").cancellable(id: 1.0),
            wait("bool").cancellable(id: true), wait("string").cancellable(id: "1"))
        default: return .cancel(id: 1)
        }
      }
    }
    await store.send("start")
    await store.send("stop")
    #expect(log.entries == ["int"])
    await store.cancelInFlightEffects()
    #expect(log.entries == ["int", "double", "bool", "string"])
  }

  @Test("effects that a cancelled effect's actions caused continue")
  func responsesSurvive() async {
    let log = Log<String>()
    let (hold, release) = AsyncStream<Void>.makeStream()
    let store = TestStore(initialState: 0) {
      Reduce<Int, String> { _, action in
        switch action {
        case "start":
          return .run { send in
            await send("found")
            await never()
          }.cancellable(id: "search")
        case "found":
          return .run { send in
            for await _ in hold {}
            log.append("saved")
          }
        case "stop": return .cancel(id: "search")
        default: return .none
        }
      }
    }
    await store.send("start")
    await store.receive("found")
    await store.send("stop")
    release.finish()
    await store.finish()
    #expect(log.entries == ["saved"])
  }

  @Test("a sequence continues when its first part is cancelled by id, and stops when all of it is")
  func sequences() async {
    let log = Log<String>()
    let store = TestStore(initialState: 0) {
      Reduce<Int, String> { _, action in
        switch action {
        case "start":
          return .concatenate(
            .run { _ in await never() }.cancellable(id: "first"),
            .run { _ in log.append("second") })
        case "all":
          return .concatenate(.run { _ in await never() }, .run { _ in log.append("never") })
            .cancellable(id: "first")
        default: return .cancel(id: "first")
        }
      }
    }
    await store.send("start")
    await store.send("stop")
    #expect(log.entries == ["second"])
    await store.send("all")
    await store.send("stop")
    await store.finish()
    #expect(log.entries == ["second"])
  }

  @Test("a queued action of a cancelled effect is dropped")
  func queuedAction() async {
    let store = TestStore(initialState: 0) {
      Reduce<Int, String> { state, action in
        switch action {
        case "start":
          return .merge(.cancel(id: "x"), Effect.send("late").cancellable(id: "x"), .cancel(id: "x"))
        case "late": state += 1
        default: break
        }
        return .none
      }
    }
    await store.send("start")
    await store.finish()
    #expect(store.state == 0)
  }

  @Test("a part of an operation is cancelled by its own id")
  func withinOperation() async {
    let log = Log<String>()
    let store = TestStore(initialState: 0) {
      Reduce<Int, String> { _, action in
        switch action {
        case "start":
          return .run { send in
            try? await withTaskCancellation(id: "part") {
              log.append("part")
              await never()
            }
            log.append("rest")
          }
        case "again":
          return .run { _ in Task.cancel(id: "part") }
        default: return .cancel(id: "part")
        }
      }
    }
    await store.send("start")
    #expect(log.entries == ["part"])
    await store.send("stop")
    #expect(log.entries == ["part", "rest"])
    await store.send("start")
    await store.send("again")
    await store.finish()
    #expect(log.entries == ["part", "rest", "part", "rest"])
  }

  @Test("cancel ids outside of an effect are reported")
  func outsideOfEffects() async throws {
    let messages = try await issues {
      Task.cancel(id: 1)
      let five = try await withTaskCancellation(id: 1) { 5 }
      #expect(five == 5)
    }
    #expect(messages.count == 2)
  }

  @Test("debounce waits until it has been quiet for long enough")
  func debounce() async {
    let clock = TestClock()
    let store = TestStore(initialState: 0) {
      Reduce<Int, String> { _, action in
        action == "type"
          ? Effect.send("search").debounce(id: "search", for: .seconds(1), clock: clock) : .none
      }
    }
    await store.send("type")
    await clock.advance(by: .milliseconds(900))
    await store.send("type")
    await clock.advance(by: .milliseconds(900))
    #expect(store.state == 0)
    await clock.advance(by: .milliseconds(100))
    await store.receive("search")
    await store.finish()
  }
}
