// Owns the error of a dependency's endpoint that was used without an implementation.

/// Thrown by an endpoint that nobody implemented.
///
/// In a test, give the endpoint a value: `withDependencies: { $0.numberStore.value = { ... } }`.
public struct Unimplemented: Error, Hashable, Sendable, CustomStringConvertible {
  /// The endpoint's name, `NumberStore.value`.
  public let endpoint: String

  public init(_ endpoint: String) { self.endpoint = endpoint }

  public var description: String {
    "\(endpoint) has no implementation here: override it, or give its dependency a value for this context"
  }
}
