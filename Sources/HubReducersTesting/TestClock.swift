// Owns the time of a test: it moves only when the test moves it, and wakes sleepers in order.

import HubReducers
import Synchronization

/// A clock that stands still until it is advanced.
///
/// ```swift
/// let clock = TestClock()
/// let store = TestStore(initialState: ...) { ... } withDependencies: { $0.continuousClock = clock }
/// await store.send(.start)
/// await clock.advance(by: .seconds(1))
/// await store.receive(\.tick)
/// ```
/// ``advance(by:)`` wakes the sleepers one by one in the order of their deadlines, and lets the effects of test
/// stores run in between, so a loop that sleeps again and again ticks as often as it should.
public final class TestClock: Clock, Sendable {
  /// A point in the test's time.
  public struct Instant: InstantProtocol {
    var offset: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private struct Sleeper {
    var id: Int
    var deadline: Instant
    var executor: TestExecutor?
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var next = 0
    var sleepers: [Sleeper] = []
  }

  private let state = Mutex(State())

  public init() {}

  public var now: Instant { state.withLock { $0.now } }
  public var minimumResolution: Duration { .zero }

  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isDue = state.withLock { state in
          let isDue = deadline <= state.now
          if !isDue, !Task.isCancelled {
            state.sleepers.append(
              Sleeper(
                id: id, deadline: deadline, executor: EffectExecutor.current as? TestExecutor,
                continuation: continuation))
            return nil as Bool?
          }
          return isDue
        }
        switch isDue {
        case true?: continuation.resume()
        case false?: continuation.resume(throwing: CancellationError())
        case nil: break
        }
      }
    } onCancel: {
      remove { $0.id == id }?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the time on, waking whoever sleeps until then.
  public func advance(by duration: Duration = .zero) async { wake(until: now.advanced(by: duration)) }

  /// Moves the time on to a point, waking whoever sleeps until then.
  public func advance(to deadline: Instant) async { wake(until: deadline) }

  private func wake(until deadline: Instant) {
    runExecutors()
    while let sleeper = remove(where: { $0.deadline <= deadline }) {
      state.withLock { $0.now = max($0.now, sleeper.deadline) }
      sleeper.continuation.resume()
      sleeper.executor?.run()
    }
    state.withLock { $0.now = max($0.now, deadline) }
  }

  /// Moves the time on until nobody sleeps any more.
  public func run() async {
    runExecutors()
    while let last = state.withLock({ $0.sleepers.map(\.deadline).max() }) { wake(until: last) }
  }

  /// Effects that were woken by something else may be about to sleep.
  private func runExecutors() {
    for executor in state.withLock({ $0.sleepers.compactMap(\.executor) }) { executor.run() }
  }

  /// Takes out the sleeper that matches and has the earliest deadline.
  private func remove(where isMeant: (Sleeper) -> Bool) -> Sleeper? {
    state.withLock { state in
      let index = state.sleepers.indices.filter { isMeant(state.sleepers[$0]) }
        .min { state.sleepers[$0].deadline < state.sleepers[$1].deadline }
      return index.map { state.sleepers.remove(at: $0) }
    }
  }
}
