// Owns the actions of a child that is presented and dismissed.

/// What a presented child's parent receives: the child's actions, or the request to dismiss it.
public enum PresentationAction<Action> {
  /// Dismiss the child. The `ifLet` operator sets its state to `nil` after the parent has handled the action, unless
  /// the parent has replaced the child.
  case dismiss

  /// An action of the child.
  indirect case presented(Action)
}

extension PresentationAction: Sendable where Action: Sendable {}
extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}

extension PresentationAction: CasePathable {
  @dynamicMemberLookup
  public struct AllCasePaths: Sendable {
    /// A case of the child's action: `\.child.tapped` stands for `\.child.presented.tapped`.
    public subscript<Payload>(
      dynamicMember keyPath: KeyPath<Action.AllCasePaths, AnyCasePath<Action, Payload>>
    ) -> AnyCasePath<PresentationAction, Payload> where Action: CasePathable {
      presented.appending(Action.allCasePaths[keyPath: keyPath])
    }

    public var dismiss: AnyCasePath<PresentationAction, Void> {
      AnyCasePath(
        "dismiss",
        embed: { .dismiss },
        extract: {
          guard case .dismiss = $0 else { return nil }
          return ()
        })
    }

    public var presented: AnyCasePath<PresentationAction, Action> {
      AnyCasePath(
        "presented",
        embed: { .presented($0) },
        extract: {
          guard case .presented(let action) = $0 else { return nil }
          return action
        })
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
