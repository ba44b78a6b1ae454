// Owns the handling of one nested enum of actions on the whole state, with effects in the outer actions.

/// Handles the actions inside one case, and nothing else.
///
/// Unlike `Scope` it works on the whole state, and its effects send outer actions, so a view action can end in
/// `.send(.delegate(...))`. Idea: Oliver Foggin's article on custom reducers.
/// ```swift
/// NestedAction(\.view) { state, action in
///   switch action {
///   case .closeButtonTapped: .send(.delegate(.dismissFeature))
///   }
/// }
/// ```
public struct NestedAction<State, Action, ChildAction>: Reducer {
  private let toChildAction: AnyCasePath<Action, ChildAction>
  private let toEffect: (inout State, ChildAction) -> Effect<Action>

  /// Handles the actions inside a case with a closure.
  public init(
    _ toChildAction: CaseKeyPath<Action, ChildAction>,
    toEffect: @escaping (inout State, ChildAction) -> Effect<Action>
  ) {
    self.toChildAction = AnyCasePath(toChildAction)
    self.toEffect = toEffect
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    guard let childAction = toChildAction.extract(from: action) else { return .none }
    return toEffect(&state, childAction)
  }
}
