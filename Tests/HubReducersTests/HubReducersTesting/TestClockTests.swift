// Tests the clock of tests by itself: whom it wakes, in which order, and that it never runs ahead of them.

import HubReducers
import HubReducersTesting
import TestSupport
import Testing

struct TestClockTests {
  private let clock = TestClock()
  private let log = Log<String>()
  /// How often what could be flaky is tried.
  private static let times = 1...5

  @Test("a sleep of no length waits for the next advance, of whatever length")
  func zero() async {
    for _ in Self.times {
      let log = Log<String>()
      let task = Task { [clock] in
        try await clock.sleep(for: .zero)
        log.append("woken")
      }
      await clock.advance(by: .zero)
      #expect(log.entries == ["woken"])
      task.cancel()
      _ = await task.result
    }
  }

  @Test("a sleep of no length in an effect waits for an advance, too")
  func zeroInAnEffect() async {
    let store = TestStore(initialState: 0) {
      Reduce<Int, Int> { [clock] state, action in
        state = action
        guard action == 0 else { return .none }
        return .run { send in
          for number in 1...3 {
            try await clock.sleep(for: .zero)
            await send(number)
          }
        }
      }
    }
    await store.send(0)
    await clock.advance()
    for number in 1...3 { await store.receive({ $0 == number }) { $0 = number } }
    await store.finish()
  }

  @Test("a task that was started just before is woken, and has run when advancing returns")
  func justStarted() async {
    for _ in Self.times {
      let log = Log<String>()
      let task = Task { [clock] in
        try await clock.sleep(for: .seconds(1))
        log.append("woken")
      }
      await clock.advance(by: .milliseconds(999))
      #expect(log.entries == [])
      await clock.advance(by: .milliseconds(1))
      #expect(log.entries == ["woken"])
      task.cancel()
      _ = await task.result
    }
  }

  @Test("tasks on the main actor are woken as well")
  @MainActor func mainActor() async {
    for _ in Self.times {
      var ticks = 0
      let task = Task { @MainActor [clock] in
        for _ in 1...3 {
          try await clock.sleep(for: .seconds(1))
          ticks += 1
        }
      }
      await clock.advance(by: .seconds(2))
      #expect(ticks == 2)
      await clock.advance(by: .seconds(1))
      #expect(ticks == 3)
      task.cancel()
      _ = await task.result
    }
  }

  @Test("a loop of sleeps ticks as often as it should, among others, in the order of time")
  func loop() async {
    for _ in Self.times {
      let log = Log<String>()
      let start = clock.now
      let tasks = [("a", 2), ("b", 3)].map { name, seconds in
        Task { [clock] in
          for _ in 1...2 {
            try await clock.sleep(for: .seconds(seconds))
            log.append("\(name) at \(start.duration(to: clock.now))")
          }
        }
      }
      await clock.advance(by: .seconds(3))
      await clock.advance(to: start.advanced(by: .seconds(6)))
      #expect(
        log.entries == ["a at 2.0 seconds", "b at 3.0 seconds", "a at 4.0 seconds", "b at 6.0 seconds"])
      for task in tasks {
        task.cancel()
        _ = await task.result
      }
    }
  }

  @Test("running continues until no task sleeps")
  func run() async {
    let task = Task { [clock, log] in
      for number in 1...10 {
        try await clock.sleep(for: .seconds(number))
        log.append("\(number)")
      }
    }
    await clock.run()
    #expect(log.entries == (1...10).map(String.init))
    #expect(clock.now == TestClock.Instant(offset: .seconds(55)))
    task.cancel()
    _ = await task.result
  }

  @Test("running a clock on which a task sleeps without end fails instead of hanging")
  func runWithoutEnd() async {
    let task = Task { [clock] in while true { try await clock.sleep(for: .seconds(1)) } }
    let messages = await testFailures { await clock.run(atMost: 50) }
    #expect(messages.count == 1 && messages[0].contains("is still sleeping"))
    task.cancel()
  }

  @Test("advancing past a task that sleeps for no time without end fails instead of hanging")
  func advanceWithoutEnd() async {
    let store = TestStore(initialState: 0) {
      Reduce<Int, Int> { [clock] _, _ in
        .run { _ in while true { try await clock.sleep(for: .zero) } }
      }
    }
    let task = await store.send(0)
    let messages = await testFailures { await clock.advance(by: .seconds(1)) }
    #expect(messages.count == 1 && messages[0].contains("sleeps repeatedly"))
    await task.cancel()
  }

  @Test("a cancelled sleep throws, whether it has begun or not, and a past deadline is no sleep")
  func cancellation() async throws {
    await clock.advance(by: .seconds(5))
    try await clock.sleep(until: .init(offset: .seconds(4)))
    let task = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
    await clock.advance()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let late = Task { [clock] in
      await never()
      try await clock.sleep(until: .init(offset: .zero))
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
  }
}
