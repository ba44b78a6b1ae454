// Owns a program's running state on the main actor: binds the engine to that actor, and hands out what a `send` started.

public import Observation

/// A running feature: it holds the state, takes actions and runs effects.
///
/// ```swift
/// let store = Store(initialState: Counter.State()) { Counter() }
/// await store.send(.task).finish()
/// ```
/// State is published once per outermost ``send(_:)``, after all actions that follow immediately. Reading ``state``
/// costs only the read. `Observation` and ``states`` report changes; for a property read as `store.count`, Observation
/// reports only its own changes.
@MainActor
@dynamicMemberLookup
public final class Store<State, Action>: Observable {
  let core: any StoreCore<State, Action>

  /// Makes a store and starts the state-driven subscriptions of its initial state.
  ///
  /// All effects are cancelled when the store is released.
  /// - Parameter withDependencies: Overrides dependencies for the initial state, the reducer and its effects.
  public convenience init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State, @ReducerBuilder<State, Action> reducer: () -> R,
    withDependencies update: (inout DependencyValues) -> Void = { _ in }
  ) {
    let engine = HubReducers.withDependencies(update) {
      Engine(
        initialState: initialState(), reducer: reducer(), dependencies: .current,
        isolation: MainActor.shared, executor: nil)
    }
    self.init(core: RootCore(engine))
    engine.start()
  }

  init(core: any StoreCore<State, Action>) { self.core = core }

  /// The state after the last outermost send.
  public var state: State {
    core.changes.access()
    return core.state
  }

  /// Sends an action. Within a reducer or a notification, it is queued after the actions in progress.
  /// - Returns: The task of the resulting effects, which you can wait for or cancel.
  @discardableResult
  public func send(_ action: Action) -> StoreTask { StoreTask(tree: core.send(action)) }

  /// Cancels every effect permanently, and returns when all of them have ended.
  public func shutdown() async { await core.shutdown() }

  var changes: StoreChanges { core.changes }
}

/// The store of a feature.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

/// The effects of one action sent to a store, and of the actions that those effects sent in turn.
public struct StoreTask: Sendable, Hashable {
  /// `nil`: nothing was started.
  let tree: EffectTree?

  /// Waits until every effect has ended. If the waiting task is cancelled, so are the effects: a view's task ends the
  /// subscriptions that it started.
  public func finish() async {
    guard let tree else { return }
    await withTaskCancellationHandler {
      await tree.finished()
    } onCancel: {
      tree.cancel()
    }
  }

  /// Cancels the effects, from any thread. Effects of actions that were sent as detached continue.
  public func cancel() { tree?.cancel() }

  /// Whether the effects were cancelled as a whole.
  public var isCancelled: Bool { tree?.isCancelled ?? false }

  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.tree === rhs.tree }

  public func hash(into hasher: inout Hasher) { hasher.combine(tree.map(ObjectIdentifier.init)) }
}
