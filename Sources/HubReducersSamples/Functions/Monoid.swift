// Owns the two algebraic concepts behind combining reducers.

infix operator <> : AdditionPrecedence

/// A type whose values combine, associatively: `(a <> b) <> c` is `a <> (b <> c)`.
public protocol Semigroup {
  static func <> (lhs: Self, rhs: Self) -> Self
}

/// A semigroup with a value that changes nothing: `a <> .identity`, `.identity <> a` and `a` are the same.
public protocol Monoid: Semigroup {
  static var identity: Self { get }
}

extension Monoid {
  /// All values combined, in order.
  public static func concat(_ values: some Sequence<Self>) -> Self { values.reduce(.identity, <>) }
}
