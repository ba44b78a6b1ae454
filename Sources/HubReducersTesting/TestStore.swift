// Owns a feature under test, and what the test has accounted for so far. It runs the same engine as `Store`, and waits only for effects that are
// waiting themselves.

public import HubReducers
import Synchronization

/// Tests how a feature behaves, action by action.
///
/// ```swift
/// let store = TestStore(initialState: Counter.State()) { Counter() }
/// await store.send(.increment) { $0.count = 1 }
/// await store.receive(\.saved)
/// ```
/// It works with Swift Testing and with XCTest. A failure outside any test is written to standard error, and the
/// process exits with a failure status.
///
/// It runs the same engine as `Store`, on its own executor: each call runs effects until nothing is left to run. It
/// waits only for work that this executor does not run: a callback, a thread, a task that an effect starts by itself.
/// While such an effect is in flight, `receive` and `finish` wait for it, up to ``timeout``; if no effect is in
/// flight, they fail immediately. Time stands still unless a ``TestClock`` is advanced.
///
/// Use it from one task. Effects run only during its calls.
public final class TestStore<State: Equatable, Action> {
  /// How much the test must account for.
  public var exhaustivity = Exhaustivity.on

  /// How long to wait, in real time, for an effect that is in flight.
  public var timeout = Duration.seconds(1)

  /// Like ``timeout``, but for an effect that has announced, with `withExternalWork`, that it waits for something outside the test,
  /// such as a real hub or a process. If the announced work does not finish, the failure names it.
  public var externalTimeout = Duration.seconds(10)

  /// The state up to the last action that the test has accounted for.
  public private(set) var state: State

  /// The number of the newest action that the test has accounted for.
  private var accounted = 0

  let runtime: TestRuntime<State, Action>
  private let dismissal: Dismissal
  private let site: IssueSite

  /// Whether the feature has asked its presenter (here, the test) to dismiss it, with the dependency `dismiss`. That
  /// ended its effects permanently.
  public var isDismissed: Bool { dismissal.isDone }

  /// Makes the store and starts the state-driven subscriptions of its first state.
  ///
  /// Dependencies start with their test values, which are not shared with other tests.
  /// - Parameter reducer: The reducer. This is not a builder closure: put several reducers into `CombineReducers`.
  public init(
    initialState: @autoclosure () -> State, reducer: () -> some Reducer<State, Action>,
    withDependencies update: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    let dismissal = Dismissal()
    self.dismissal = dismissal
    runtime = TestRuntime(initialState: initialState, reducer: reducer) {
      $0.dismiss = DismissEffect { dismissal.perform() }
      update(&$0)
    }
    dismissal.endEffects(by: runtime.engine.ending)
    state = runtime.engine.state
    site = IssueSite(fileID, filePath, line, column)
  }

  /// Everything must be accounted for by the end of the test.
  deinit {
    runtime.drive {}
    failUnlessDone(at: site)
  }

  /// The reducer's dependencies, starting with the next action. Effects keep the ones they were made with.
  public var dependencies: DependencyValues {
    get { runtime.engine.dependencies }
    set { runtime.engine.dependencies = newValue }
  }

  /// Changes dependencies for the actions sent by `operation`.
  public func withDependencies<R>(
    _ update: (inout DependencyValues) -> Void, operation: () async throws -> R
  ) async rethrows -> R {
    let saved = dependencies
    defer { dependencies = saved }
    update(&dependencies)
    return try await operation()
  }

  /// Changes the exhaustivity for `operation`.
  public func withExhaustivity<R>(
    _ exhaustivity: Exhaustivity, operation: () async throws -> R
  ) async rethrows -> R {
    let saved = self.exhaustivity
    defer { self.exhaustivity = saved }
    self.exhaustivity = exhaustivity
    return try await operation()
  }

  /// Actions that effects sent and the test has not received yet.
  var received: [TestRuntime<State, Action>.Step] {
    get { runtime.log.received }
    set { runtime.log.received = newValue }
  }

  /// Records that the test has handled an action, correctly or not. An action handled late does not affect the state.
  func account(for step: TestRuntime<State, Action>.Step) {
    guard step.number > accounted else { return }
    accounted = step.number
    state = step.after
  }

  /// Skips everything received so far.
  func skipAllReceived() {
    if let last = received.last { account(for: last) }
    received.removeAll()
  }

  /// Fails for unreceived actions that no failure has reported yet. They can still be received.
  func failForReceived(_ message: String, at site: IssueSite) {
    guard received.contains(where: { !$0.isReported }) else { return }
    fail("\(message):\n\(receivedReport)", at: site)
    for index in received.indices { received[index].isReported = true }
  }

  func patience(_ explicit: Duration?) -> Patience {
    Patience(explicit: explicit, usual: timeout, outside: externalTimeout)
  }

  private func failUnlessDone(at site: IssueSite) {
    guard exhaustivity == .on else { return }
    failForReceived("The test ended, but these actions were not received", at: site)
    if runtime.inFlight.contains(where: { !$0.isCancelled }) {
      fail(
        """
        The test ended, but effects are still running. Wait for them (await store.finish()), cancel them (await \
        task.cancel()), or call skipInFlightEffects():
        \(runtime.inFlightReport)
        """, at: site)
    }
  }

  /// The actions not received yet, one line each, with equal neighbours grouped.
  var receivedReport: String {
    received.map { String(describing: $0.action) }.group(by: ==)
      .map { "  \($0[0])\($0.count > 1 ? " (\($0.count) times)" : "")" }
      .joined(separator: "\n")
  }
}

/// The dismissal of the feature under test, once it asks for it.
private final class Dismissal: Sendable {
  private struct State {
    var isDone = false
    var endEffects: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  var isDone: Bool { state.withLock { $0.isDone } }

  func endEffects(by ending: @escaping @Sendable () -> Void) { state.withLock { $0.endEffects = ending } }

  func perform() {
    let endEffects = state.withLock { state in
      state.isDone = true
      return state.endEffects
    }
    endEffects?()
  }
}

/// The test store of a feature.
public typealias TestStoreOf<R: Reducer> = TestStore<R.State, R.Action> where R.State: Equatable

/// Whether a test must account for everything that happens.
public enum Exhaustivity: Sendable, Hashable {
  /// Every state change and every received action must be asserted.
  case on

  /// Only what is asserted is checked. The test's output can mention what was skipped.
  case off(showSkippedAssertions: Bool)

  /// Only what is asserted is checked, silently.
  public static let off = Exhaustivity.off(showSkippedAssertions: false)
}
