// Owns an engine under test: drives it, records what its effects send, and knows when it is idle.
// It asserts nothing.

import HubReducers

/// The engine of a `TestStore` on its own executor.
final class TestRuntime<State, Action> {
  /// What an action did.
  struct Step {
    var action: Action
    /// The action's number in the engine, counted from 1.
    var number: Int
    var before: State
    var after: State
    var shared: [SharedChanges.Change]
    /// The id that the action would have given to a stack's first new element.
    var nextStackElement: StackElementID
    /// Whether a failure has already reported that the test did not account for it.
    var isReported = false
  }

  /// The engine's records since the last query.
  final class Log {
    /// The last action sent from outside.
    var sent: Step?
    /// The actions that effects sent.
    var received: [Step] = []
    fileprivate var count = 0
    fileprivate var state: State

    init(_ state: State) { self.state = state }

    fileprivate func record(
      _ action: Action, _ origin: ActionOrigin, _ state: State, _ recording: Recording
    ) {
      count += 1
      let step = Step(
        action: action, number: count, before: self.state, after: state, shared: recording.changes.take(),
        nextStackElement: recording.nextStackElement)
      self.state = state
      switch origin {
      case .outside: sent = step
      case .effect: received.append(step)
      }
    }
  }

  let executor = TestExecutor()
  let engine: Engine<State, Action>
  let log: Log
  private let isolation: TestIsolation
  private var skipped: Set<Int> = []

  init(
    initialState: () -> State, reducer: () -> some Reducer<State, Action>,
    withDependencies update: (inout DependencyValues) -> Void
  ) {
    isolation = TestIsolation(executor)
    let recording = Recording()
    engine = EffectExecutor.$current.withValue(executor) { [isolation, executor] in
      HubReducers.withDependencies {
        $0 = $0.isolatedForTest()
        update(&$0)
      } operation: {
        Engine(
          initialState: initialState(), reducer: RecordingReducer(base: reducer(), recording: recording),
          dependencies: .current, isolation: isolation, executor: executor)
      }
    }
    log = Log(engine.state)
    engine.didReduce = { [log] action, origin, state in log.record(action, origin, state, recording) }
    drive { engine.start() }
  }

  /// Cancels every effect and lets it finish.
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

  /// Runs everything that can run, including work that returns from the main actor.
  func settle() async {
    drive {}
    while engine.hasEffectsInFlight {
      // The main actor's queue is first in, first out: earlier work of effects is complete after this.
      await Task { @MainActor in }.value
      guard executor.hasWork else { return }
      drive {}
    }
  }

  /// Settles until `isDone` returns true, waiting in real time while an effect in flight could still make it true.
  ///
  /// - Returns: Whether it is done.
  func settle(_ patience: Patience, until isDone: () -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let start = clock.now
    await settle()
    while !isDone() {
      guard engine.hasEffectsInFlight else { return false }
      let left = patience.limit(isOutside: !engine.outside.names.isEmpty) - start.duration(to: clock.now)
      guard left > .zero, await executor.waitForWork(atMost: left) else {
        return await settleAfterAll(until: isDone)
      }
      await settle()
    }
    return true
  }

  /// Called when the time is up. On a busy machine, what is due may not have happened yet.
  private func settleAfterAll(until isDone: () -> Bool) async -> Bool {
    await OtherTasks.run { executor.hasWork }
    await settle()
    return isDone()
  }

  // MARK: Effects in flight

  /// The effects that the test must still account for.
  var inFlight: [InFlightEffect] { engine.inFlight.filter { !skipped.contains($0.id) } }

  var hasInFlight: Bool { engine.inFlightIDs.contains { !skipped.contains($0) } }

  /// Excuses the test from accounting for the effects now in flight.
  func skipInFlight() { skipped = Set(engine.inFlightIDs) }

  /// What is still running, one line each, for a report.
  var inFlightReport: String {
    let effects = inFlight.map { effect in
      let name = effect.name.map { "\"\($0)\" " } ?? ""
      let cause = effect.cause.map { ", started by \($0)" } ?? ", started by the state"
      return "  \(name)at \(effect.site)\(cause)\(effect.isCancelled ? " (cancelled)" : "")"
    }
    let outside = engine.outside.names.map { "  waiting outside the test for: \($0)" }
    return (effects + outside).joined(separator: "\n")
  }
}

/// How long a test waits, in real time, for outside work.
struct Patience {
  /// For this call only, if set.
  var explicit: Duration?
  var usual: Duration
  /// The limit while an effect has announced that it waits for something outside the test.
  var outside: Duration

  /// Takes only what has already arrived.
  static let none = Patience(explicit: .zero, usual: .zero, outside: .zero)

  func limit(isOutside: Bool) -> Duration { explicit ?? (isOutside ? max(usual, outside) : usual) }
}

/// An action's data beyond the engine's log: the state before it, and its changes of shared values.
private final class Recording {
  let changes = SharedChanges()
  var nextStackElement = StackElementID(generation: 0)
}

/// Fills in the recording of every action.
private struct RecordingReducer<Base: Reducer>: CompositeReducer {
  let base: Base
  let recording: Recording

  func prepared() -> PreparedReducer<Base.State, Base.Action> {
    base.prepared().wrapped { [recording] base, state, action in
      recording.nextStackElement = DependencyValues.current.stackElementID.peek()
      return SharedChanges.$current.withValue(recording.changes) { base.reduce(into: &state, action: action) }
    }
  }
}
