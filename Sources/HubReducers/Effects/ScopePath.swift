// Owns the identity of effects and scopes: the path of scopes that an effect came through is the namespace of its id.

/// The position of an effect's reducer in the tree: empty for the root, one step per enclosing scope.
struct ScopePath: Hashable, Sendable {
  private(set) var steps: [ScopeStep] = []

  func appending(_ step: ScopeStep) -> ScopePath {
    var path = self
    path.steps.append(step)
    return path
  }

  /// Whether this path is `other` or encloses it.
  func encloses(_ other: ScopePath) -> Bool { other.steps.starts(with: steps) }
}

/// One scope: the case its child's actions travel in, and the child's identity, if there can be several.
@usableFromInline
struct ScopeStep: Hashable, Sendable {
  var group: ScopeGroup
  var element: EffectID?
}

/// All the children of one case of the parent's actions.
struct ScopeGroup: Hashable, @unchecked Sendable {
  // A case key path is immutable, and all it captures are key paths to the enum's case properties.
  private let keyPath: AnyKeyPath

  init<Root, Value>(_ keyPath: CaseKeyPath<Root, Value>) { self.keyPath = keyPath }
}

/// Any Hashable value as an identity. Unlike `AnyHashable` it keeps types apart: 1, 1.0 and true differ.
struct EffectID: Hashable, Sendable {
  private let base: any Hashable & Sendable

  init(_ base: some Hashable & Sendable) { self.base = (base as? EffectID)?.base ?? base }

  static func == (lhs: EffectID, rhs: EffectID) -> Bool { equal(lhs.base, rhs.base) }

  private static func equal<Value: Hashable>(_ lhs: Value, _ rhs: any Hashable) -> Bool {
    (rhs as? Value).map { type(of: $0) == type(of: lhs) && $0 == lhs } ?? false
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(type(of: base)))
    base.hash(into: &hasher)
  }
}

extension EffectID: CustomStringConvertible {
  var description: String { String(describing: base) }
}
