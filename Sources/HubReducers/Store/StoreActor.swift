// Owns a program's running state on an actor: for daemons, whose features run beside the main actor.

/// A running feature on its own actor, or on a given one. ``Store`` is the same on the main actor, with Observation
/// and scopes.
///
/// ```swift
/// let store = await StoreActor(initialState: Counter.State()) { Counter() }
/// await store.send(.task).finish()
/// ```
/// Its actions are handled one after another. Any number of tasks may send them and read ``state`` or ``states``.
public actor StoreActor<State: Sendable, Action: Sendable> {
  private let home: any Actor
  private let engine: Engine<State, Action>
  private let published = CurrentValue(0)
  private let end: @Sendable () -> Void

  /// The executor of the actor that was given.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  /// Makes a store and starts the state-driven subscriptions of its initial state.
  ///
  /// All effects are cancelled when the store is released.
  /// - Parameters:
  ///   - actor: Where the reducer runs; `nil`: an actor of the store's own.
  ///   - withDependencies: Overrides dependencies for the reducer and its effects.
  public init<R: Reducer<State, Action>>(
    on actor: (any Actor)? = nil, initialState: State,
    @ReducerBuilder<State, Action> reducer: @Sendable () -> R,
    withDependencies update: @Sendable (inout DependencyValues) -> Void = { _ in }
  ) async {
    let home = actor ?? OwnActor()
    engine = HubReducers.withDependencies(update) {
      Engine(
        initialState: initialState, reducer: reducer(), dependencies: .current, isolation: home,
        executor: nil)
    }
    self.home = home
    end = engine.ending
    engine.didPublish = { [published] in published.set(published.value + 1) }
    engine.start()
  }

  deinit {
    end()
    published.finish()
  }

  /// The state after the last action that was sent from outside, with everything that immediately followed.
  public var state: State { engine.state }

  /// The current state, then the newest one after each publication that the reader has not seen.
  ///
  /// A slow reader skips states, but never the last. It ends when the store is released.
  public nonisolated var states: PublishedStates<State> {
    PublishedStates(published: { [published] in published }, state: { [weak self] in await self?.state })
  }

  /// Sends an action.
  /// - Returns: The task of the resulting effects, which you can wait for or cancel.
  @discardableResult
  public func send(_ action: Action) -> StoreTask { StoreTask(tree: engine.send(action)) }

  /// Cancels every effect permanently, and returns when all of them have ended.
  public func shutdown() async {
    engine.cancelAll()
    for task in engine.tasks { await task.value }
  }
}

private actor OwnActor {}
