// Owns the actions of features on a stack.

/// What the parent of a stack receives: an element's action, or a change of the stack.
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

extension StackAction: CasePathable {
  public struct AllCasePaths: Sendable {
    /// The case of an element's action.
    public var element: AnyCasePath<StackAction, (id: StackElementID, action: Action)> {
      AnyCasePath(
        "element",
        embed: { .element(id: $0.id, action: $0.action) },
        extract: {
          guard case .element(let id, let action) = $0 else { return nil }
          return (id, action)
        })
    }

    /// The case that removes elements.
    public var popFrom: AnyCasePath<StackAction, StackElementID> {
      AnyCasePath(
        "popFrom",
        embed: { .popFrom(id: $0) },
        extract: {
          guard case .popFrom(let id) = $0 else { return nil }
          return id
        })
    }

    /// The case that adds an element.
    public var push: AnyCasePath<StackAction, (id: StackElementID, state: State)> {
      AnyCasePath(
        "push",
        embed: { .push(id: $0.id, state: $0.state) },
        extract: {
          guard case .push(let id, let state) = $0 else { return nil }
          return (id, state)
        })
    }

    /// The actions of one element: `\.path[id: id].tap`.
    public subscript(id id: StackElementID) -> AnyCasePath<StackAction, Action> {
      AnyCasePath(
        "element(id: \(id))",
        embed: { .element(id: id, action: $0) },
        extract: {
          guard case .element(id, let action) = $0 else { return nil }
          return action
        })
    }

    /// The actions of the elements, in the form that `forEach` takes.
    var identified: AnyCasePath<StackAction, IdentifiedAction<StackElementID, Action>> {
      AnyCasePath(
        embed: {
          switch $0 {
          case .element(let id, let action): .element(id: id, action: action)
          }
        },
        extract: {
          guard case .element(let id, let action) = $0 else { return nil }
          return .element(id: id, action: action)
        })
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Case {
  /// Follows the actions of one element: `\.path[id: id].tap`.
  public subscript<State, Action>(id id: StackElementID) -> Case<Action>
  where Value == StackAction<State, Action> {
    appending(Value.allCasePaths[id: id])
  }
}
