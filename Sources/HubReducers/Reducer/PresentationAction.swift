// Owns the actions of a child that is presented and dismissed, and `ifLet` for them.

/// What a presented child's parent receives: the child's actions, or the wish to end it.
public enum PresentationAction<Action> {
  /// The child is to go away. The `ifLet` operator sets its state to `nil` after everybody saw the action.
  case dismiss

  /// An action of the child.
  indirect case presented(Action)
}

extension PresentationAction: Sendable where Action: Sendable {}
extension PresentationAction: Equatable where Action: Equatable {}
extension PresentationAction: Hashable where Action: Hashable {}

extension PresentationAction: CasePathable {
  public struct AllCasePaths: Sendable {
    public var dismiss: AnyCasePath<PresentationAction, Void> {
      AnyCasePath(
        embed: { .dismiss },
        extract: {
          guard case .dismiss = $0 else { return nil }
          return ()
        })
    }

    public var presented: AnyCasePath<PresentationAction, Action> {
      AnyCasePath(
        embed: { .presented($0) },
        extract: {
          guard case .presented(let action) = $0 else { return nil }
          return action
        })
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Reducer {
  /// `ifLet` for a child that is presented: `.dismiss` sets its state to `nil` after this reducer ran, which
  /// ends its effects.
  @warn_unqualified_access
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _OptionalChildReducer<_DismissReducer<Self, ChildState, ChildAction>, Child> {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return _OptionalChildReducer(
      base: _DismissReducer(base: self, state: state, action: AnyCasePath(action), site: site),
      child: child(), state: .property(state), action: action.appending(path: \.presented), site: site)
  }
}

/// Carries out `.dismiss` after the base reducer saw it.
public struct _DismissReducer<Base: Reducer, ChildState, ChildAction>: Reducer {
  let base: Base
  let state: WritableKeyPath<Base.State, ChildState?>
  let action: AnyCasePath<Base.Action, PresentationAction<ChildAction>>
  let site: IssueSite

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    let effect = base.reduce(into: &state, action: action)
    if case .dismiss = self.action.extract(from: action) {
      if state[keyPath: self.state] == nil { site.report("a child was dismissed that is not presented") }
      state[keyPath: self.state] = nil
    }
    return effect
  }

  public func supervise(_ state: Base.State) -> Effect<Base.Action> { base.supervise(state) }

  public static var supervision: Supervision { Base.supervision }

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let base = base.prepared()
    return PreparedReducer(
      _DismissReducer<PreparedReducer<Base.State, Base.Action>, ChildState, ChildAction>(
        base: base, state: state, action: action, site: site), base.supervision)
  }
}
