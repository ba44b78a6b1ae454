// Owns the actions of one element among many, addressed by id.

/// An action for the element with an id.
@CasePathable
public enum IdentifiedAction<ID: Hashable & Sendable, Action> {
  indirect case element(id: ID, action: Action)
}

/// An action for an element of a feature whose state is `Identifiable`.
public typealias IdentifiedActionOf<R: Reducer> = IdentifiedAction<R.State.ID, R.Action>
where R.State: Identifiable, R.State.ID: Sendable

extension IdentifiedAction: Sendable where Action: Sendable {}
extension IdentifiedAction: Equatable where Action: Equatable {}
extension IdentifiedAction: Hashable where Action: Hashable {}

extension IdentifiedAction.AllCasePaths {
  /// The actions of one element: `\.rows[id: 3].tap`.
  public subscript(id id: ID) -> AnyCasePath<IdentifiedAction, Action> {
    AnyCasePath(
      "element(id: \(id))", embed: { .element(id: id, action: $0) },
      extract: {
        guard case .element(id, let action) = $0 else { return nil }
        return action
      })
  }
}

extension Case {
  /// Follows the actions of one element: `\.rows[id: 3].tap`.
  public subscript<ID: Hashable & Sendable, Action>(id id: ID) -> Case<Action>
  where Value == IdentifiedAction<ID, Action> {
    appending(Value.allCasePaths[id: id])
  }
}
