// The states of all providers, as a watch of their stores has shown them.

package struct ClaimStatuses: Sendable {
  /// By the claim's store. Bounded by the number of claims that a hub has.
  private var claims: [String: ClaimStatus] = [:]

  package init() {}

  /// Takes an event of a watch that includes `ClaimStatus.pattern`.
  ///
  /// - Returns: whether it is about a claim.
  @discardableResult
  package mutating func take(_ event: StoreEvent) -> Bool {
    if event.kind == .reset { claims.removeAll() }
    return take(event.name, event.value)
  }

  /// Takes the value of a claim's store; nil if the claim has ended.
  @discardableResult
  package mutating func take(_ store: String, _ value: Value?) -> Bool {
    guard store.hasPrefix(ClaimStatus.prefix) else { return false }
    claims[store] = value.flatMap { ClaimStatus(store, $0) }
    return true
  }

  /// By its store.
  package subscript(store: String) -> ClaimStatus? { claims[store] }

  /// The claim that a store belongs to; nil if it has no provider and none is declared.
  package func claim(of store: String) -> ClaimStatus? {
    claims.isEmpty ? nil : claims.values.first { $0.stores.contains { $0.matches(store) } }
  }
}
