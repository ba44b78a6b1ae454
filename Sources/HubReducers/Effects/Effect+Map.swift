// Owns the translation of an effect into another action type, which is how a child's effects become a parent's.

extension Effect {
  /// The same effect, with every action it sends passed through `transform`.
  ///
  /// `transform` runs with the dependencies of the effect that sends.
  public func map<Mapped>(_ transform: @escaping @Sendable (Action) -> Mapped) -> Effect<Mapped> {
    Effect<Mapped>(node: node.map(transform))
  }
}

extension Effect.Node {
  func map<Mapped>(_ transform: @escaping @Sendable (Action) -> Mapped) -> Effect<Mapped>.Node {
    switch self {
    case .none: .none
    case .send(let action): .send(transform(action))
    case .run(let run): .run(run.map(transform))
    case .perform(let work): .perform(work)
    case .merge(let nodes): .merge(nodes.map { $0.map(transform) })
    case .concatenate(let nodes): .concatenate(nodes.map { $0.map(transform) })
    case .cancellable(let id, let overlap, let node): .cancellable(id, overlap, node.map(transform))
    case .cancel(let id): .cancel(id)
    case .scoped(let step, let node): .scoped(step, node.map(transform))
    case .keepScopes(let group, let alive): .keepScopes(group, alive: alive)
    case .supervised(let id, let node): .supervised(id, node.map(transform))
    case .expectsSupervision(let id, let site): .expectsSupervision(id, site)
    }
  }
}

extension Effect.Run {
  func map<Mapped>(_ transform: @escaping @Sendable (Action) -> Mapped) -> Effect<Mapped>.Run {
    Effect<Mapped>.Run(
      name: name, priority: priority, site: site, maker: maker, dependencies: dependencies
    ) { [operation] send in await operation(send.pullback(transform)) }
  }
}
