// Owns the ways of making one effect from several: at the same time, or one after the other.

extension Effect {
  /// All effects at once. Actions that they send at once keep the effects' order.
  public static func merge(_ effects: Self...) -> Self { merge(effects) }

  /// All effects at once.
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

  /// Both effects at once.
  public func merge(with other: Self) -> Self {
    switch (node, other.node) {
    case (.none, _): other
    case (_, .none): self
    default: .merge([self, other])
    }
  }

  /// One effect after the other: each starts when the one before has ended or was cancelled by its own id.
  public static func concatenate(_ effects: Self...) -> Self { concatenate(effects) }

  /// One effect after the other.
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

  /// This effect, then the other.
  public func concatenate(with other: Self) -> Self { .concatenate([self, other]) }
}
