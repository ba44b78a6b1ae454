// Owns an engine under test: drives it, records what its effects send, and knows when it is idle.
// It asserts nothing.

import HubReducers

/// The engine of a `TestStore` on its own executor.
final class TestRuntime<State, Action> {
  /// An action that an effect sent, and the state after it.
  struct Received {
    var action: Action
    var state: State
    var shared: [SharedChanges.Change]
  }

  /// What the engine did since it was last asked.
  final class Log {
    /// The state after the last action sent from outside, and what that did to shared values.
    var sent: (state: State, shared: [SharedChanges.Change])?
    var received: [Received] = []
  }

  let executor = TestExecutor()
  let engine: Engine<State, Action>
  let log = Log()
  private let isolation: TestIsolation

  init(
    initialState: () -> State, reducer: () -> some Reducer<State, Action>,
    withDependencies update: (inout DependencyValues) -> Void
  ) {
    isolation = TestIsolation(executor)
    let changes = SharedChanges()
    engine = EffectExecutor.$current.withValue(executor) { [isolation, executor] in
      HubReducers.withDependencies {
        $0 = $0.isolatedForTest()
        update(&$0)
      } operation: {
        Engine(
          initialState: initialState(), reducer: SharedRecorder(base: reducer(), changes: changes),
          dependencies: .current, isolation: isolation, executor: executor)
      }
    }
    engine.didReduce = { [log] action, origin, state in
      switch origin {
      case .outside: log.sent = (state, changes.take())
      case .effect: log.received.append(Received(action: action, state: state, shared: changes.take()))
      }
    }
    drive { engine.start() }
  }

  /// Cancels every effect and lets it wind up.
  deinit {
    drive { engine.cancelAll() }
    executor.retire()
  }

  /// Runs `body` and then everything that can run.
  @discardableResult
  func drive<R>(_ body: () -> R) -> R {
    EffectExecutor.$current.withValue(executor) { executor.drive(body) }
  }

  func send(_ action: Action) -> EffectTree? { drive { engine.send(action) } }

  /// Runs everything that can run, also what a detour over the main actor brings back.
  func settle() async {
    drive {}
    while engine.hasEffectsInFlight {
      // The main actor's queue is first in, first out: what effects had asked of it is done after this.
      await Task { @MainActor in }.value
      guard executor.hasWork else { return }
      drive {}
    }
  }

  /// Settles until `isDone`, waiting for work outside the test if some is announced, or if told to.
  ///
  /// - Parameter timeout: How long to wait even if nothing outside is announced.
  /// - Returns: Whether it is done.
  func settle(timeout: Duration?, outside: Duration, until isDone: () -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let start = clock.now
    await settle()
    while !isDone() {
      guard let limit = timeout ?? (engine.outside.names.isEmpty ? nil : outside) else { return false }
      let left = limit - start.duration(to: clock.now)
      guard left > .zero, await executor.waitForWork(atMost: left) else { return false }
      await settle()
    }
    return true
  }

  /// What is still running, one line each, for a report.
  var inFlightReport: String {
    let effects = engine.inFlight.map { effect in
      let name = effect.name.map { "\"\($0)\" " } ?? ""
      let cause = effect.cause.map { ", started by \($0)" } ?? ", started by the state"
      return "  \(name)at \(effect.site)\(cause)\(effect.isCancelled ? " (cancelled)" : "")"
    }
    let outside = engine.outside.names.map { "  waiting outside the test for: \($0)" }
    return (effects + outside).joined(separator: "\n")
  }
}

/// Records what actions do to shared values.
private struct SharedRecorder<Base: Reducer>: Reducer {
  let base: Base
  let changes: SharedChanges

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    SharedChanges.$current.withValue(changes) { base.reduce(into: &state, action: action) }
  }

  func supervise(_ state: Base.State) -> Effect<Base.Action> { base.supervise(state) }

  static var supervision: Supervision { Base.supervision }

  func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let base = base.prepared()
    return PreparedReducer(
      SharedRecorder<PreparedReducer<Base.State, Base.Action>>(base: base, changes: changes), base.supervision
    )
  }
}
