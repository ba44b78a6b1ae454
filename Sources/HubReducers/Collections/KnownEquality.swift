// Owns the comparison of two values whose type may not be Equatable.

/// Whether two values are equal, as far as their type allows: objects that are not Equatable are equal only to
/// themselves.
func isKnownEqual<Value>(_ lhs: Value, _ rhs: Value) -> Bool {
  func areEqual<E: Equatable>(_ lhs: E) -> Bool { (rhs as? E) == lhs }
  if let lhs = lhs as? any Equatable { return areEqual(lhs) }
  guard Value.self is AnyObject.Type else { return false }
  return (lhs as AnyObject) === (rhs as AnyObject)
}
