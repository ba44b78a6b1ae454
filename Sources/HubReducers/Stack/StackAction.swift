// Owns the actions of features on a stack.

/// What the parent of a stack receives: an element's action, or a change of the stack.
@CasePathable
public enum StackAction<State, Action> {
  /// An action of the element with the id.
  indirect case element(id: StackElementID, action: Action)

  /// Remove the element with the id and those above it. `forEach` does so after the parent has handled the action.
  case popFrom(id: StackElementID)

  /// Put an element on top. `forEach` does so before the parent handles the action.
  case push(id: StackElementID, state: State)
}

/// The actions of a stack of a feature.
public typealias StackActionOf<R: Reducer> = StackAction<R.State, R.Action>

extension StackAction: Sendable where State: Sendable, Action: Sendable {}
extension StackAction: Equatable where State: Equatable, Action: Equatable {}
extension StackAction: Hashable where State: Hashable, Action: Hashable {}

extension StackAction.AllCasePaths {
  /// The actions of one element: `\.path[id: id].tap`.
  public subscript(id id: StackElementID) -> AnyCasePath<StackAction, Action> {
    AnyCasePath(
      "element(id: \(id))", embed: { .element(id: id, action: $0) },
      extract: {
        guard case .element(id, let action) = $0 else { return nil }
        return action
      })
  }
}

extension Case {
  /// Follows the actions of one element: `\.path[id: id].tap`.
  public subscript<State, Action>(id id: StackElementID) -> Case<Action>
  where Value == StackAction<State, Action> {
    appending(Value.allCasePaths[id: id])
  }
}
