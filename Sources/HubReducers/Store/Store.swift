// Owns a program's running state on the main actor. It binds the engine to that actor and decides nothing.

public import Observation

/// The running feature: holds its state, takes its actions, runs its effects.
///
/// ```swift
/// let store = Store(initialState: Counter.State()) { Counter() }
/// await store.send(.task).finish()
/// ```
/// State is published once per outermost ``send(_:)``, after every action that follows at once. Reading
/// ``state`` costs only the read; `Observation` and ``states`` report changes, of a single property if it is read as
/// `store.count`.
@MainActor
@dynamicMemberLookup
public final class Store<State, Action>: Observable {
  let core: any StoreCore<State, Action>

  /// Makes a store and starts the state-driven subscriptions of its first state.
  ///
  /// Ends with its last reference: then every effect is cancelled.
  /// - Parameter withDependencies: Changes dependencies for the state's making, the reducer and its effects.
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

  /// Sends an action. From within a reducer or a notification it queues after the actions in progress.
  /// - Returns: The task of the effects that follow, to wait for or cancel.
  @discardableResult
  public func send(_ action: Action) -> StoreTask { StoreTask(tree: core.send(action)) }

  /// Cancels every effect for good, and returns when all of them have ended.
  public func shutdown() async { await core.shutdown() }

  /// A store of a part of the state whose actions travel in a case of this store's.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    Store<ChildState, ChildAction>(
      core: core.scoped(action: AnyCasePath(action)) { $0[keyPath: toChildState] })
  }

  /// A store of a part of the state whose actions travel in a case of this store's.
  public func scope<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    scope(state: state, action: action)
  }

  /// A store of an optional part of the state; `nil` while there is none. Once the part is gone, the store that
  /// was made for it keeps showing its last state.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction>? {
    guard let present = core.state[keyPath: toChildState] else { return nil }
    return scope(from: present, action) { $0[keyPath: toChildState] }
  }

  /// A store of a part that can go away, and of its last state once it has.
  func scope<ChildState, ChildAction>(
    from present: ChildState, _ action: CaseKeyPath<Action, ChildAction>,
    _ toChildState: @escaping (State) -> ChildState?
  ) -> Store<ChildState, ChildAction> {
    var last = present
    return Store<ChildState, ChildAction>(
      core: core.scoped(action: AnyCasePath(action)) {
        last = toChildState($0) ?? last
        return last
      })
  }

  /// A store of a presented part of the state; `nil` while it is not presented.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: toChildState.appending(path: \.wrappedValue), action: action.appending(path: \.presented))
  }

  /// A store of a presented part of the state, in a plain optional property; `nil` while it is not presented.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: toChildState, action: action.appending(path: \.presented))
  }

  var changes: StoreChanges { core.changes }
}

/// The store of a feature.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>
