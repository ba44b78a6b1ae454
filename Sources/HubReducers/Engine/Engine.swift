// Owns a store's state and the order of everything that happens to it: actions, reducers, effects.
// It has no isolation itself: its owner calls it from one, and effects hop back there.

/// The engine behind `Store` and `TestStore`.
///
/// An outermost `send` drains a FIFO queue: reduce, hand the effect to the interpreter, next action. Only when
/// the queue is empty is the new state published, once, and then asynchronous effects start. A `send` from
/// within a drain joins its queue.
///
/// Effects keep their engine until they end, so its owner must ``cancelAll()`` when it goes away.
///
/// It has a field for each list that a drain works off, since each step may add to all of them.
///
/// It is compiled once for all features, so whatever names a type that depends on them looks that type up at run time, some
/// 400 instructions each. An action without effects therefore touches none: flags show that the lists are empty, and what works
/// on them is in functions of its own.
package final class Engine<State, Action> {
  struct Queued {
    var action: Action
    var origin: ActionOrigin
    /// The tree that the action's effects join.
    var tree: EffectTree
    /// The work that sent it: once that is cancelled, the action is dropped.
    var token: CancelToken?
    var done: (() -> Void)?
  }

  /// More actions than this in one drain indicate a cycle.
  static var drainLimit: Int { 200_000 }

  /// The state between actions. Reading it from inside a reducer stops the program: a reducer has its own,
  /// `inout`, and any other would be a stale copy.
  package var state: State {
    precondition(!isReducing, "a reducer read its own store's state; use the state it was given")
    return storage
  }
  /// Bodies read dependencies, so other dependencies need a new evaluation.
  package var dependencies: DependencyValues { didSet { isEvaluated = false } }
  /// Called after each action, before its effects start.
  package var didReduce: ((Action, ActionOrigin, State) -> Void)?
  /// Called once per drain, when the state is final.
  package var didPublish: (() -> Void)?

  private let reducer: any Reducer<State, Action>
  private var evaluated = PreparedReducer<State, Action>([])
  private var isEvaluated = false
  let isolation: any Actor
  let executor: (any TaskExecutor)?
  let root = CancelToken()
  let registry = CancelRegistry()
  package let outside = ExternalWork()

  private var queue: [Queued] = []
  private var hasQueued = false
  var starts: [Start] = []
  var hasStarts = false
  var running: [Int: Running] = [:]
  var nextRunning = 0
  /// Completion handlers of synchronous work in progress.
  var performed: [Int: () -> Void] = [:]
  var lastPerformed: Task<Void, Never>?
  var supervised: [SupervisedKey: Supervised] = [:]
  var expectations: [Expectation] = []
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
    self.reducer = reducer
    self.isolation = isolation
    self.executor = executor
  }

  /// The reducer with its bodies evaluated, at the first action and with the engine's dependencies.
  var prepared: PreparedReducer<State, Action> {
    if !isEvaluated {
      evaluated = reducer.prepared()
      isEvaluated = true
    }
    return evaluated
  }

  /// Starts the subscriptions that the initial state asks for.
  package func start() {
    guard type(of: reducer).supervision.contains(.subscriptions) else { return }
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
    isDraining = true
    defer { isDraining = false }
    var tree: EffectTree?
    withSurroundings {
      tree = handle(action, .outside, nil)
      finishDrain()
    }
    return tree
  }

  func enqueue(
    _ action: Action, _ origin: ActionOrigin, _ tree: EffectTree, token: CancelToken?,
    done: (() -> Void)? = nil
  ) {
    tree.enter()
    hasQueued = true
    queue.append(Queued(action: action, origin: origin, tree: tree, token: token, done: done))
  }

  /// Handles all queued actions, and those that follow.
  func drain() {
    guard !isDraining, hasQueued else { return }
    isDraining = true
    defer { isDraining = false }
    withSurroundings { finishDrain() }
  }

  /// Most actions arrive alone and have no effects, so they bypass the queue.
  private func finishDrain() {
    var handled = 1
    repeat {
      if hasQueued { handleQueued(&handled) }
      didPublish?()
      launch()
    } while hasQueued
  }

  @inline(never)
  private func handleQueued(_ handled: inout Int) {
    var next = 0
    while next < queue.count {
      handle(queue[next])
      next += 1
      handled += 1
      if handled >= Self.drainLimit { stopCycle(after: next) }
    }
    queue.removeAll(keepingCapacity: true)
    hasQueued = false
  }

  /// Reducers see the store's dependencies, and operators that can have children in flight see which are.
  private func withSurroundings(_ operation: () -> Void) {
    DependencyValues.$current.withValue(dependencies) {
      if prepared.supervision.contains(.scopes) || CancelRegistry.current != nil {
        CancelRegistry.$current.withValue(registry, operation: operation)
      } else {
        operation()
      }
    }
  }

  private func handle(_ queued: Queued) {
    if let token = queued.token, token.isCancelled {
      if token.isOfRemovedChild { reportDropped(queued.action) }
    } else {
      handle(queued.action, queued.origin, queued.tree)
    }
    queued.done?()
    queued.tree.leave()
  }

  /// - Parameter tree: The tree that the action's effects join; `nil`: a new one, if there are any.
  /// - Returns: What they joined.
  @discardableResult
  private func handle(_ action: Action, _ origin: ActionOrigin, _ tree: EffectTree?) -> EffectTree? {
    isReducing = true
    let effect = prepared.reduce(into: &storage, action: action)
    isReducing = false
    didReduce?(action, origin, storage)
    let joined = effect.isNone ? tree : begin(effect, of: action, in: tree ?? EffectTree(parent: root))
    reconcile()
    return joined
  }

  @inline(never)
  private func begin(_ effect: Effect<Action>, of action: Action, in tree: EffectTree) -> EffectTree {
    tree.enter()
    let frame = Frame(tree: tree, token: tree.token, path: ScopePath(), cause: action)
    interpret(effect.node, frame) { tree.leave() }
    return tree
  }

  private func reportDropped(_ action: Action) {
    reportIssueOfCaller(
      """
      A child returned .send of \(String(describing: action)), and its parent removed the child in the same action, so it was \
      dropped. Let the parent remove the child when it receives the action, or handle it in the parent.
      """)
  }

  private func stopCycle(after index: Int) {
    guard index < queue.count else { return }
    let chain = queue[max(0, index - 6)..<index].map { String(describing: $0.action) }
    for queued in queue[index...] {
      queued.done?()
      queued.tree.leave()
    }
    queue.removeSubrange(index...)
    reportIssueOfCaller(
      """
      One send led to \(Self.drainLimit) actions without a pause, so the rest was dropped. Reducers are \
      probably answering each other with .send; the last actions were: \(chain.joined(separator: " -> "))
      """)
  }
}

/// The sender of an action.
package enum ActionOrigin: Sendable {
  case outside
  case effect
}
