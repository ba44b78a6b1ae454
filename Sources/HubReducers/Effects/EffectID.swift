// Owns the identity of effects and scopes: type-aware equality for any Hashable & Sendable value.

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
