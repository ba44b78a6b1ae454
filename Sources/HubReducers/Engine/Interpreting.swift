// Interprets each kind of effect: what is queued, started, named or cancelled.

extension Engine {
  /// The position in the tree of work of the effect being interpreted.
  struct Frame {
    var tree: EffectTree
    var token: CancelToken
    var path: ScopePath
    let numbers = SubscriptionNumbers()
    /// The action that led to the effect, for reports.
    var cause: Action?
  }

  /// Calls `done` when the effect has ended: at once for immediate effects, later for running ones.
  func interpret(_ node: Effect<Action>.Node, _ frame: Frame, then done: @escaping () -> Void) {
    switch node {
    case .none:
      done()
    case .send(let action):
      enqueue(action, .effect, frame.tree, token: frame.token, done: done)
    case .run(let run):
      startLater(.run(run, CancelToken(parent: frame.token), frame, done))
    case .perform(let work):
      startLater(.perform(work, frame.token, done))
    case .merge(let nodes):
      let join = Join(then: done)
      for node in nodes { interpret(node, frame, then: join.open()) }
      join.close()
    case .concatenate(let nodes):
      interpret(nodes[...], frame, Join(then: done))
    case .cancellable(let id, let overlap, let node):
      interpret(id, overlap, node, frame, then: done)
    case .cancel(let id):
      registry.cancel(id, within: frame.path)
      done()
    case .scoped(let step, let node):
      interpret(step, node, frame, then: done)
    case .keepScopes(let group, let alive):
      registry.keep(group, at: frame.path, alive: alive)
      done()
    case .subscribe(let id, let overlap, let node):
      let subscription = frame.numbers.next(id, at: frame.path)
      interpret(EffectID(subscription), overlap, node, frame, then: done)
    case .unsubscribe(let id):
      let subscription = frame.numbers.next(id, at: frame.path, isStop: true)
      registry.cancel(EffectID(subscription), exactlyAt: frame.path, inFavourOf: frame.token)
      done()
    case .supervised:
      preconditionFailure("supervised effects come from supervise(_:), never from reduce(into:action:)")
    case .expectsSupervision(let id, let argument, let site):
      expectations.append(Expectation(path: frame.path, id: id, argument: argument, site: site))
      done()
    }
  }

  /// A sequence. A `.send` in it counts as over once it is queued, so that neighbours stay neighbours.
  private func interpret(_ nodes: ArraySlice<Effect<Action>.Node>, _ frame: Frame, _ join: Join) {
    var rest = nodes
    while !frame.token.isCancelled, let node = rest.popFirst() {
      if case .send = node {
        interpret(node, frame, then: join.open())
        continue
      }
      let end = join.open()
      let remaining = rest
      interpret(node, frame) { [self] in
        interpret(remaining, frame, join)
        end()
      }
      return
    }
    join.close()
  }

  private func interpret(
    _ id: EffectID, _ overlap: EffectOverlap, _ node: Effect<Action>.Node, _ frame: Frame,
    then done: @escaping () -> Void
  ) {
    switch overlap {
    case .both: break
    case .cancelOld: registry.cancel(id, exactlyAt: frame.path, inFavourOf: frame.token)
    case .dropNew: if registry.isActive(id, exactlyAt: frame.path, besides: frame.token) { return done() }
    }
    let token = CancelToken(parent: frame.token)
    registry.add(id, at: frame.path, token)
    var inner = frame
    inner.token = token
    interpret(node, inner) { [registry] in
      registry.remove(id, token)
      token.end()
      done()
    }
  }

  private func interpret(
    _ step: ScopeStep, _ node: Effect<Action>.Node, _ frame: Frame, then done: @escaping () -> Void
  ) {
    var inner = frame
    inner.path = frame.path.appending(step)
    guard step.element != nil else { return interpret(node, inner, then: done) }
    inner.token = CancelToken(parent: frame.token)
    registry.enter(step, at: frame.path, inner.token)
    interpret(node, inner) { [registry] in
      registry.leave(step, at: frame.path, inner.token)
      inner.token.end()
      done()
    }
  }
}

/// Joins several ends into one.
private final class Join {
  private var count = 1
  private let done: () -> Void

  init(then done: @escaping () -> Void) { self.done = done }

  /// Adds another end to wait for.
  func open() -> () -> Void {
    count += 1
    return close
  }

  func close() {
    count -= 1
    if count == 0 { done() }
  }
}
