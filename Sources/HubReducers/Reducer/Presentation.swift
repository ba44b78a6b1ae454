// Owns `ifLet` for a child that is presented: when it is dismissed, and by whom it may be replaced.

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
    presenting(
      child(), state, action, identify: { _ in .presence },
      IssueSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// The same for a child with an identity: its effects also end when another one replaces it, and a replacement that this
  /// reducer presents while it handles `.dismiss` stays.
  @warn_unqualified_access
  public func ifLet<ChildState: Identifiable, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _OptionalChildReducer<_DismissReducer<Self, ChildState, ChildAction>, Child>
  where ChildState.ID: Sendable {
    presenting(
      child(), state, action, identify: { EffectID($0.id) },
      IssueSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  private func presenting<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ child: Child, _ state: WritableKeyPath<State, ChildState?>,
    _ action: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    identify: @escaping (ChildState) -> EffectID, _ site: IssueSite
  ) -> _OptionalChildReducer<_DismissReducer<Self, ChildState, ChildAction>, Child> {
    _OptionalChildReducer(
      base: _DismissReducer(
        base: self, state: state, action: AnyCasePath(action), identify: identify, site: site),
      child: child, state: .property(state), action: action.appending(path: \.presented),
      identify: identify, site: site)
  }
}

/// Carries out `.dismiss` after the base reducer saw it.
public struct _DismissReducer<Base: Reducer, ChildState, ChildAction>: Reducer {
  let base: Base
  let state: WritableKeyPath<Base.State, ChildState?>
  let action: AnyCasePath<Base.Action, PresentationAction<ChildAction>>
  let identify: (ChildState) -> EffectID
  let site: IssueSite

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    guard case .dismiss = self.action.extract(from: action) else {
      return base.reduce(into: &state, action: action)
    }
    let dismissed = state[keyPath: self.state].map(identify)
    if dismissed == nil { site.report("a child was dismissed that is not presented") }
    let effect = base.reduce(into: &state, action: action)
    // What the base presented meanwhile is not what was dismissed.
    if dismissed != nil, state[keyPath: self.state].map(identify) == dismissed {
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
        base: base, state: state, action: action, identify: identify, site: site), base.supervision)
  }
}
