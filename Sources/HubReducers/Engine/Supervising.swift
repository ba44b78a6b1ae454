// Owns state-driven subscriptions: after every action it starts missing ones and ends others.

/// A state-driven effect and the scope it belongs to.
struct SupervisedKey: Hashable {
  var path: ScopePath
  var subscription: NumberedSubscription
  var argument: EffectID
}

/// A state-driven effect that was started and is still required, even if it has ended by itself.
struct Supervised {
  var order: Int
  var token: CancelToken
}

/// A state-driven effect that must be among those that the reducer as a whole asks for, and the line that made it.
struct Expectation {
  var path: ScopePath
  var id: SubscriptionID
  var argument: EffectID
  var site: IssueSite
}

extension Engine {
  /// Matches the running subscriptions to the state.
  ///
  /// Cost: none unless the reducer has state-driven subscriptions, or optional children with effects in flight; then
  /// one walk of the reducers that have them.
  func reconcile() {
    let supervision = prepared.supervision
    if supervision.contains(.subscriptions) || (supervision.contains(.scopes) && registry.hasScopes) {
      supervise()
    }
    if !expectations.isEmpty { checkExpectations() }
  }

  @inline(never)
  private func supervise() {
    var wanted: [SupervisedKey: Effect<Action>.Node] = [:]
    var order: [SupervisedKey] = []
    let numbers = SubscriptionNumbers()
    collect(prepared.supervise(storage).node, at: ScopePath(), numbers, into: &wanted, &order)
    let gone = supervised.filter { wanted[$0.key] == nil }.sorted { $0.value.order < $1.value.order }
    for (key, old) in gone {
      supervised[key] = nil
      old.token.cancel()
    }
    for key in order where supervised[key] == nil {
      guard let node = wanted[key] else { continue }
      begin(node, key)
    }
  }

  private func collect(
    _ node: Effect<Action>.Node, at path: ScopePath, _ numbers: SubscriptionNumbers,
    into wanted: inout [SupervisedKey: Effect<Action>.Node], _ order: inout [SupervisedKey]
  ) {
    switch node {
    case .none: break
    case .merge(let nodes): for node in nodes { collect(node, at: path, numbers, into: &wanted, &order) }
    case .scoped(let step, let node):
      collect(node, at: path.appending(step), numbers, into: &wanted, &order)
    case .keepScopes(let group, let alive): registry.keep(group, at: path, alive: alive)
    case .supervised(let id, let argument, let node):
      let subscription = numbers.next(id, at: path)
      guard let argument else { break }
      let key = SupervisedKey(path: path, subscription: subscription, argument: argument)
      if wanted.updateValue(node, forKey: key) == nil { order.append(key) }
    default: preconditionFailure("supervise(_:) returned an effect that is not state-driven")
    }
  }

  private func begin(_ node: Effect<Action>.Node, _ key: SupervisedKey) {
    let tree = EffectTree(parent: root)
    nextSupervised += 1
    supervised[key] = Supervised(order: nextSupervised, token: tree.token)
    tree.enter()
    interpret(node, Frame(tree: tree, token: tree.token, path: key.path, cause: nil)) { tree.leave() }
  }

  private func checkExpectations() {
    for expectation in expectations where !isSupervised(expectation) {
      expectation.site.report(
        """
        A state-driven subscription never starts, because a reducer around it has reduce(into:action:) but \
        does not pass on supervise(_:). Give that reducer a body, or forward supervise and supervision.
        """)
    }
    expectations.removeAll(keepingCapacity: true)
  }

  /// Whether one of those that are alike is asked for. Usually it is the first, which is the only one.
  private func isSupervised(_ expected: Expectation) -> Bool {
    let first = NumberedSubscription(id: expected.id, number: 0)
    let key = SupervisedKey(path: expected.path, subscription: first, argument: expected.argument)
    if supervised[key] != nil { return true }
    return supervised.keys.contains {
      $0.path == expected.path && $0.subscription.id == expected.id && $0.argument == expected.argument
    }
  }
}
