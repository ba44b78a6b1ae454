// Owns a feature under test and what the test has accounted for so far.
// It runs the engine that `Store` runs; it never yields, sleeps or guesses.

public import HubReducers
public import Testing

/// Proves how a feature behaves, action by action.
///
/// ```swift
/// let store = TestStore(initialState: Counter.State()) { Counter() }
/// await store.send(.increment) { $0.count = 1 }
/// await store.receive(\.saved)
/// ```
/// The engine is the one that `Store` runs, on an executor of the test's own: each call runs effects until
/// nothing is left to run, so a failure says at once that nothing was received. Time stands still unless a
/// ``TestClock`` is advanced. Work marked with `withOutsideWork` (a real hub, a process) is waited for, up to
/// ``outsideTimeout``, and named when it does not come.
///
/// Use it from one task. Effects run only during its calls.
public final class TestStore<State: Equatable, Action> {
  /// How much the test has to account for.
  public var exhaustivity = Exhaustivity.on

  /// How long to wait for work outside the test, in real time.
  public var outsideTimeout = Duration.seconds(10)

  /// The state as far as the test has accounted for it.
  public internal(set) var state: State

  let runtime: TestRuntime<State, Action>
  private let location: SourceLocation

  /// Makes the store and starts the state-driven subscriptions of its first state.
  ///
  /// Dependencies start from their test values, which no other test shares.
  /// - Parameter reducer: Not a builder closure: several reducers go into `CombineReducers`.
  public init(
    initialState: @autoclosure () -> State, reducer: () -> some Reducer<State, Action>,
    withDependencies update: (inout DependencyValues) -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    IssueRecording.installed
    runtime = TestRuntime(initialState: initialState, reducer: reducer, withDependencies: update)
    state = runtime.engine.state
    location = sourceLocation
  }

  /// Everything must be accounted for by the end of the test.
  deinit {
    runtime.drive {}
    failUnlessDone(at: location)
    dependencies.analyticsClient.failUnmetExpectations()
  }

  /// The dependencies of the reducer from the next action on. Effects keep the ones they were made with.
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
  var received: [TestRuntime<State, Action>.Received] {
    get { runtime.log.received }
    set { runtime.log.received = newValue }
  }

  func failUnlessDone(at location: SourceLocation) {
    if exhaustivity == .on, !received.isEmpty {
      fail("The test ended, but these actions were not received:\n\(receivedReport)", at: location)
    }
    let inFlight = runtime.engine.inFlight.filter { !$0.isCancelled }
    if exhaustivity == .on, !inFlight.isEmpty {
      fail(
        """
        The test ended, but effects are still running. Cancel them (await task.cancel()), let them end, or \
        call skipInFlightEffects():
        \(runtime.inFlightReport)
        """, at: location)
    }
  }

  /// The actions not received yet, one line each, equal neighbours together.
  var receivedReport: String {
    received.map { String(describing: $0.action) }.group(by: ==)
      .map { "  \($0[0])\($0.count > 1 ? " (\($0.count) times)" : "")" }
      .joined(separator: "\n")
  }
}

/// The test store of a feature.
public typealias TestStoreOf<R: Reducer> = TestStore<R.State, R.Action> where R.State: Equatable
