// Owns the time of a test: it moves only when the test moves it, and wakes sleepers in order.

import HubReducers
import Synchronization

/// A clock whose time stands still until it is advanced.
///
/// ```swift
/// let clock = TestClock()
/// let store = TestStore(initialState: ...) { ... } withDependencies: { $0.continuousClock = clock }
/// await store.send(.start)
/// await clock.advance(by: .seconds(1))
/// await store.receive(\.tick)
/// ```
/// ``advance(by:fileID:file:line:column:)`` wakes the sleepers one by one in the order of their deadlines, and lets the
/// effects of test stores run in between, so a loop that sleeps repeatedly ticks as often as it should.
///
/// Outside test stores the clock cannot detect when a task is idle. There, advancing lets tasks run for a while before
/// it wakes the first sleeper and after each one. That is enough for a newly started task to fall asleep, and for a
/// woken one to reach its next sleep, unless it has much to do.
///
/// Even a sleep of zero length waits for the next ``advance(by:fileID:file:line:column:)``, which may be zero.
public final class TestClock: Clock, Sendable {
  /// A point in the test's time.
  public struct Instant: InstantProtocol {
    var offset: Duration

    /// The instant this long after the start.
    public init(offset: Duration = .zero) { self.offset = offset }

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
    /// Whether a task other than a test store's effect has slept here.
    var hasServedTasks = false
  }

  private let state = Mutex(State())

  /// Makes a clock that stands at `now` until it is advanced.
  public init(now: Instant = Instant()) { state.withLock { $0.now = now } }

  public var now: Instant { state.withLock { $0.now } }
  public var minimumResolution: Duration { .zero }

  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          if deadline < state.now { return true as Bool? }
          if Task.isCancelled { return false }
          let executor = EffectExecutor.current as? TestExecutor
          if executor == nil { state.hasServedTasks = true }
          state.sleepers.append(
            Sleeper(id: id, deadline: deadline, executor: executor, continuation: continuation))
          return nil
        }
        switch isOver {
        case true?: continuation.resume()
        case false?: continuation.resume(throwing: CancellationError())
        case nil: break
        }
      }
    } onCancel: {
      remove { $0.id == id }?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Advances the time, waking each sleeper that is due.
  public func advance(
    by duration: Duration = .zero, fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    await advance(
      to: now.advanced(by: duration), fileID: fileID, file: filePath, line: line, column: column)
  }

  /// Advances the time to an instant, waking each sleeper that is due.
  public func advance(
    to deadline: Instant, fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    await fallAsleep()
    let isDone = await wake(until: deadline, atMost: Self.wakeLimit)
    state.withLock { $0.now = max($0.now, deadline) }
    if isDone { return }
    fail(
      "A task sleeps repeatedly without time passing, so advancing the clock would never finish.",
      at: IssueSite(fileID, filePath, line, column))
  }

  /// Advances the time until there are no sleepers.
  /// - Parameter limit: The number of sleeps after which it fails, because a loop may sleep forever.
  public func run(
    atMost limit: Int = 10_000, fileID: StaticString = #fileID, file filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    await fallAsleep()
    var count = 0
    while let next = nextDeadline {
      guard count < limit else {
        return fail(
          "After \(limit) sleeps a task is still sleeping. Advance the clock only by the time that the test needs.",
          at: IssueSite(fileID, filePath, line, column))
      }
      count += 1
      await wake(until: next, atMost: 1)
    }
  }

  /// Wakes sleepers in the order of their deadlines.
  /// - Parameter limit: How many at one point in time.
  /// - Returns: Whether there are no sleepers until the deadline.
  @discardableResult
  private func wake(until deadline: Instant, atMost limit: Int) async -> Bool {
    var count = 0
    while let sleeper = remove(where: { $0.deadline <= deadline }) {
      let hasMoved = state.withLock { state in
        defer { state.now = max(state.now, sleeper.deadline) }
        return sleeper.deadline > state.now
      }
      count = hasMoved ? 1 : count + 1
      sleeper.continuation.resume()
      if let executor = sleeper.executor {
        executor.run()
      } else {
        let sleepers = state.withLock { $0.sleepers.count }
        await OtherTasks.run { state.withLock { $0.sleepers.count } > sleepers }
      }
      if count >= limit { return nextDeadline.map { $0 > deadline } ?? true }
    }
    return true
  }

  /// More sleepers at one point in time indicate an endless loop.
  private static let wakeLimit = 10_000

  // MARK: Letting others run

  /// Lets everything that is about to sleep reach its sleep: effects, whose idleness is known, and tasks.
  private func fallAsleep() async {
    runExecutors()
    let isForEffectsOnly = state.withLock { !$0.sleepers.isEmpty && !$0.hasServedTasks }
    if isForEffectsOnly { await OtherTasks.giveWay() } else { await OtherTasks.run() }
    runExecutors()
  }

  /// Effects that were woken by something else may be about to sleep.
  private func runExecutors() {
    for executor in state.withLock({ $0.sleepers.compactMap(\.executor) }) { executor.run() }
  }

  private var nextDeadline: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

  /// Takes out the sleeper that matches and has the earliest deadline.
  private func remove(where isMeant: (Sleeper) -> Bool) -> Sleeper? {
    state.withLock { state in
      let index = state.sleepers.indices.filter { isMeant(state.sleepers[$0]) }
        .min { state.sleepers[$0].deadline < state.sleepers[$1].deadline }
      return index.map { state.sleepers.remove(at: $0) }
    }
  }
}
