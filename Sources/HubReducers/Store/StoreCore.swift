// Owns the base of a store: the engine itself, or a part of another store.

/// The source of a store's state, and the target of its actions.
@MainActor
protocol StoreCore<State, Action>: AnyObject {
  associatedtype State
  associatedtype Action

  var state: State { get }
  var changes: StoreChanges { get }
  func send(_ action: Action) -> EffectTree?
  func shutdown() async
}

extension StoreCore {
  func scoped<ChildState, ChildAction>(
    action: AnyCasePath<Action, ChildAction>, toState: @escaping (State) -> ChildState
  ) -> any StoreCore<ChildState, ChildAction> {
    ScopedCore(parent: self, action: action, toState: toState)
  }
}

/// The engine, on the main actor.
@MainActor
final class RootCore<State, Action>: StoreCore {
  private let engine: Engine<State, Action>
  private let root: CancelToken
  let changes = StoreChanges()

  init(_ engine: Engine<State, Action>) {
    self.engine = engine
    root = engine.root
    engine.didPublish = { [changes] in changes.publish() }
  }

  deinit { root.cancel() }

  var state: State { engine.state }

  func send(_ action: Action) -> EffectTree? { engine.send(action) }

  func shutdown() async {
    engine.cancelAll()
    for task in engine.tasks { await task.value }
  }
}

/// A part of a parent's state.
@MainActor
final class ScopedCore<Parent: StoreCore, State, Action>: StoreCore {
  private let parent: Parent
  private let action: AnyCasePath<Parent.Action, Action>
  private let toState: (Parent.State) -> State

  init(
    parent: Parent, action: AnyCasePath<Parent.Action, Action>, toState: @escaping (Parent.State) -> State
  ) {
    self.parent = parent
    self.action = action
    self.toState = toState
  }

  var state: State { toState(parent.state) }
  var changes: StoreChanges { parent.changes }
  func send(_ action: Action) -> EffectTree? { parent.send(self.action.embed(action)) }
  func shutdown() async { await parent.shutdown() }
}
