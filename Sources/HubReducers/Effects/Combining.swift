// Owns the ways of making one effect from several: at the same time, or one after the other.

extension Effect {
  /// Runs all effects concurrently. Actions that they send synchronously keep the order of the effects.
  public static func merge(_ effects: Self...) -> Self { merge(effects) }

  /// Runs all effects concurrently.
  public static func merge(_ effects: some Sequence<Self>) -> Self {
    var nodes: [Node] = []
    for effect in effects {
      switch effect.node {
      case .none: continue
      case .merge(let inner): nodes += inner
      case let node: nodes.append(node)
      }
    }
    return nodes.count > 1 ? Self(node: .merge(nodes)) : Self(node: nodes.first ?? .none)
  }

  /// Runs both effects concurrently.
  public func merge(with other: Self) -> Self {
    switch (node, other.node) {
    case (.none, _): other
    case (_, .none): self
    default: .merge([self, other])
    }
  }

  /// Runs effects in sequence: each starts when the previous one has ended or was cancelled by its own id.
  public static func concatenate(_ effects: Self...) -> Self { concatenate(effects) }

  /// Runs one effect after the other.
  public static func concatenate(_ effects: some Sequence<Self>) -> Self {
    var nodes: [Node] = []
    for effect in effects {
      switch effect.node {
      case .none: continue
      case .concatenate(let inner): nodes += inner
      case let node: nodes.append(node)
      }
    }
    return nodes.count > 1 ? Self(node: .concatenate(nodes)) : Self(node: nodes.first ?? .none)
  }

  /// Runs this effect, then the other.
  public func concatenate(with other: Self) -> Self { .concatenate([self, other]) }
}
