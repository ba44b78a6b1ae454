// Owns a store's state and the order of everything that happens to it: actions, reducers, effects.
// It has no isolation of its own: whoever owns it calls it from one, and effects hop back there.

/// The engine behind `Store` and `TestStore`.
///
/// An outermost `send` drains a FIFO queue: reduce, hand the effect to the interpreter, next action. Only when
/// the queue is empty is the new state published, once, and then asynchronous effects start. A `send` from
/// within a drain joins its queue.
///
/// Effects keep their engine until they end, so its owner must ``cancelAll()`` when it goes away.
package final class Engine<State, Action> {
  struct Queued {
    var action: Action
    var origin: ActionOrigin
    /// The tree that the action's effects join; `nil`: a new one, if there are any.
    var tree: EffectTree?
    /// The work that sent it: once that is cancelled, the action is dropped.
    var token: CancelToken?
    var done: (() -> Void)?
  }

  /// More actions than this in one drain are a cycle of reducers that answer each other.
  static var drainLimit: Int { 10_000 }

  /// The state between actions. Reading it from inside a reducer stops the program: a reducer has its own,
  /// `inout`, and any other would be a stale copy.
  package var state: State {
    precondition(!isReducing, "a reducer read its own store's state; use the state it was given")
    return storage
  }
  package var dependencies: DependencyValues
  /// Called after each action, before its effects are looked at.
  package var didReduce: ((Action, ActionOrigin, State) -> Void)?
  /// Called once per drain, when the state is final.
  package var didPublish: (() -> Void)?

  let reduce: (inout State, Action) -> Effect<Action>
  let supervise: (State) -> Effect<Action>
  let supervision: Supervision
  let isolation: any Actor
  let executor: (any TaskExecutor)?
  let root = CancelToken()
  let registry = CancelRegistry()
  package let outside = OutsideWork()

  var queue: [Queued] = []
  var starts: [Start] = []
  var running: [Int: Running] = [:]
  var nextRunning = 0
  var supervised: [SupervisedKey: Supervised] = [:]
  var expectations: [(key: SupervisedKey, site: IssueSite)] = []
  var nextSupervised = 0
  private(set) var storage: State
  private var isReducing = false
  private var isDraining = false

  package init<R: Reducer<State, Action>>(
    initialState: State, reducer: R, dependencies: DependencyValues, isolation: any Actor,
    executor: (any TaskExecutor)?
  ) {
    storage = initialState
    self.dependencies = dependencies
    reduce = { reducer.reduce(into: &$0, action: $1) }
    supervise = { reducer.supervise($0) }
    supervision = R.supervision
    self.isolation = isolation
    self.executor = executor
  }

  /// Starts the subscriptions that the initial state asks for.
  package func start() {
    guard supervision.contains(.subscriptions) else { return }
    withSurroundings { reconcile() }
    launch()
    drain()
  }

  /// Sends an action from outside. `nil`: it had no effect that could still be running.
  package func send(_ action: Action) -> EffectTree? {
    if isDraining {
      let tree = EffectTree(parent: root)
      enqueue(action, .outside, tree, token: nil)
      return tree
    }
    queue.append(Queued(action: action, origin: .outside))
    return drain()
  }

  func enqueue(
    _ action: Action, _ origin: ActionOrigin, _ tree: EffectTree, token: CancelToken?,
    done: (() -> Void)? = nil
  ) {
    tree.enter()
    queue.append(Queued(action: action, origin: origin, tree: tree, token: token, done: done))
  }

  /// Handles everything queued, and what that brings. Returns the first action's tree.
  @discardableResult
  func drain() -> EffectTree? {
    guard !isDraining, !queue.isEmpty else { return nil }
    isDraining = true
    defer { isDraining = false }
    return withSurroundings {
      var first: EffectTree?
      var handled = 0
      repeat {
        var next = 0
        while next < queue.count {
          let tree = handle(queue[next])
          if handled == 0 { first = tree }
          next += 1
          handled += 1
          if handled >= Self.drainLimit { stopCycle(after: next) }
        }
        queue.removeAll(keepingCapacity: true)
        didPublish?()
        launch()
      } while !queue.isEmpty
      return first
    }
  }

  /// Reducers see the store's dependencies, and operators what is in flight.
  private func withSurroundings<R>(_ operation: () -> R) -> R {
    DependencyValues.$current.withValue(dependencies) {
      CancelRegistry.$current.withValue(registry, operation: operation)
    }
  }

  private func handle(_ queued: Queued) -> EffectTree? {
    defer {
      queued.done?()
      queued.tree?.leave()
    }
    if let token = queued.token, token.isCancelled { return queued.tree }
    isReducing = true
    let effect = reduce(&storage, queued.action)
    isReducing = false
    didReduce?(queued.action, queued.origin, storage)
    defer { reconcile() }
    if effect.isNone { return queued.tree }
    let tree = queued.tree ?? EffectTree(parent: root)
    tree.enter()
    let frame = Frame(tree: tree, token: tree.token, path: ScopePath(), cause: queued.action)
    interpret(effect.node, frame) { tree.leave() }
    return tree
  }

  private func stopCycle(after index: Int) {
    guard index < queue.count else { return }
    let chain = queue[max(0, index - 6)..<index].map { String(describing: $0.action) }
    for queued in queue[index...] {
      queued.done?()
      queued.tree?.leave()
    }
    queue.removeSubrange(index...)
    reportIssue(
      """
      One send led to \(Self.drainLimit) actions without a pause, so the rest was dropped. Reducers are \
      probably answering each other with .send; the last actions were: \(chain.joined(separator: " -> "))
      """)
  }
}

/// Who sent an action.
package enum ActionOrigin: Sendable {
  case outside
  case effect
}
