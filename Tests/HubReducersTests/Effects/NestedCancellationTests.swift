// Tests effects whose cancel id is named more than once: around each other, and inside their own operation.

import HubReducers
import HubReducersTesting
import Testing

/// A store of a reducer that answers "start" with an effect, and "stop" by cancelling "work".
private func store(
  log: Log<String>, _ effect: @escaping @Sendable () -> Effect<String>
) -> TestStore<Int, String> {
  TestStore(initialState: 0) {
    Reduce<Int, String> { _, action in
      switch action {
      case "start": return effect()
      case "stop": return .cancel(id: "work")
      default:
        log.append(action)
        return .none
      }
    }
  }
}

/// Sends "done" at once.
private func done() -> Effect<String> { .run { send in await send("done") } }

/// Logs its start and its end, which is its cancellation.
private func lasting(_ log: Log<String>) -> Effect<String> {
  .run { _ in
    log.append("started")
    await never()
    log.append("ended")
  }
}

@Suite struct NestedCancellationTests {
  @Test(
    "an effect that names the same id twice runs, whichever of the two replaces what is in flight",
    arguments: [true, false], [true, false])
  func twice(inner: Bool, outer: Bool) async {
    let store = store(log: Log()) {
      done().cancellable(id: "work", cancelInFlight: inner).cancellable(id: "work", cancelInFlight: outer)
    }
    await store.send("start")
    await store.receive("done")
    await store.finish()
  }

  @Test("naming the same id twice replaces the effect in flight once, and can be cancelled")
  func replaces() async {
    let log = Log<String>()
    let store = store(log: log) {
      lasting(log).cancellable(id: "work", cancelInFlight: true)
        .cancellable(id: "work", cancelInFlight: true)
    }
    await store.send("start")
    await store.send("start")
    #expect(log.entries == ["started", "ended", "started"])
    await store.send("stop")
    #expect(log.entries == ["started", "ended", "started", "ended"])
    await store.finish()
  }

  @Test("a part of a merged effect with the id of the whole is replaced by its neighbour, never the whole")
  func merged() async {
    let log = Log<String>()
    let store = store(log: log) {
      .merge(lasting(log), done().cancellable(id: "work", cancelInFlight: true)).cancellable(id: "work")
    }
    await store.send("start")
    await store.receive("done")
    #expect(log.entries == ["started", "done"])
    await store.send("stop")
    await store.finish()
  }

  @Test("a debounced effect with its own id named again arrives", arguments: [true, false])
  func debounced(isOutside: Bool) async {
    let clock = TestClock()
    let store = store(log: Log()) {
      isOutside
        ? done().debounce(id: "work", for: .seconds(1), clock: clock)
          .cancellable(id: "work", cancelInFlight: true)
        : done().cancellable(id: "work", cancelInFlight: true)
          .debounce(id: "work", for: .seconds(1), clock: clock)
    }
    await store.send("start")
    await clock.advance(by: .milliseconds(900))
    await store.send("start")
    await clock.advance(by: .milliseconds(900))
    await clock.advance(by: .milliseconds(100))
    await store.receive("done")
    await store.finish()
  }

  @Test("an operation that names its own effect's id again continues, and replaces an earlier one")
  func withinOperation() async {
    let log = Log<String>()
    let store = store(log: log) {
      .run { _ in
        try await withTaskCancellation(id: "work", cancelInFlight: true) {
          log.append("started")
          await never()
          log.append("ended")
        }
      }.cancellable(id: "work")
    }
    await store.send("start")
    #expect(log.entries == ["started"])
    await store.send("start")
    #expect(log.entries.sorted() == ["ended", "started", "started"])
    await store.send("stop")
    await store.finish()
    #expect(log.entries.count == 4)
  }
}
