// Translates an effect into another action type: a child's effects become a parent's.

extension Effect {
  /// The same effect, with every action it sends passed through `transform`.
  ///
  /// `transform` runs with the dependencies of the effect that sends.
  public func map<Mapped>(_ transform: @escaping @Sendable (Action) -> Mapped) -> Effect<Mapped> {
    map(transform, dismissal: nil)
  }

  /// The same; the effect can send `dismissal` through the dependency `dismiss`.
  func map<Mapped>(
    _ transform: @escaping @Sendable (Action) -> Mapped, dismissal: (@Sendable () -> Mapped)?
  ) -> Effect<Mapped> {
    Effect<Mapped>(
      node: node.mapLeaves(send: { .send(transform($0)) }, run: { .run($0.map(transform, dismissal)) }))
  }
}

extension Effect.Node {
  /// The same tree with other actions and asynchronous work.
  func mapLeaves<Mapped>(
    send: (Action) -> Effect<Mapped>.Node, run: (Effect.Run) -> Effect<Mapped>.Node
  ) -> Effect<Mapped>.Node {
    switch self {
    case .none: .none
    case .send(let action): send(action)
    case .run(let work): run(work)
    case .perform(let work): .perform(work)
    case .merge(let nodes): .merge(nodes.map { $0.mapLeaves(send: send, run: run) })
    case .concatenate(let nodes): .concatenate(nodes.map { $0.mapLeaves(send: send, run: run) })
    case .cancellable(let id, let overlap, let node):
      .cancellable(id, overlap, node.mapLeaves(send: send, run: run))
    case .cancel(let id): .cancel(id)
    case .scoped(let step, let node): .scoped(step, node.mapLeaves(send: send, run: run))
    case .keepScopes(let group, let alive): .keepScopes(group, alive: alive)
    case .subscribe(let id, let overlap, let node):
      .subscribe(id, overlap, node.mapLeaves(send: send, run: run))
    case .unsubscribe(let id): .unsubscribe(id)
    case .supervised(let id, let argument, let node):
      .supervised(id, argument: argument, node.mapLeaves(send: send, run: run))
    case .expectsSupervision(let id, let argument, let site):
      .expectsSupervision(id, argument: argument, site)
    }
  }
}

extension Effect.Run {
  fileprivate func map<Mapped>(
    _ transform: @escaping @Sendable (Action) -> Mapped, _ dismissal: (@Sendable () -> Mapped)?
  ) -> Effect<Mapped>.Run {
    Effect<Mapped>.Run(
      name: name, priority: priority, site: site, maker: maker, dependencies: dependencies
    ) { [operation] send in
      guard let dismissal else { return await operation(send.pullback(transform)) }
      await Dismissal.$current.withValue(Dismissal { await send(dismissal()) }) {
        await operation(send.pullback(transform))
      }
    }
  }
}
