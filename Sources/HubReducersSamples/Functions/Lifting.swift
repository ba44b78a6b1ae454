// Owns lifting: making a reducer of a part work on a whole.

public import HubReducers

extension PureReducer {
  /// Makes the reducer work on a larger state, of which its state is a part, and on actions that may contain its own.
  ///
  /// - Parameters:
  ///   - actionGetter: The reducer's action within a larger action; `nil` if there is none, and then nothing happens.
  ///   - stateGetter: The part.
  ///   - stateSetter: Puts the part back, even if it did not change.
  public func lift<GlobalAction, GlobalState>(
    actionGetter: @escaping @Sendable (GlobalAction) -> ActionType?,
    stateGetter: @escaping @Sendable (GlobalState) -> StateType,
    stateSetter: @escaping @Sendable (inout GlobalState, StateType) -> Void
  ) -> PureReducer<GlobalAction, GlobalState> {
    .reduce { [self] globalAction, globalState in
      guard let action = actionGetter(globalAction) else { return }
      var state = stateGetter(globalState)
      reduce(action, &state)
      stateSetter(&globalState, state)
    }
  }

  /// Makes the reducer work on a larger state in place, along key paths.
  public func lift<GlobalAction, GlobalState>(
    action: any KeyPath<GlobalAction, ActionType?> & Sendable,
    state: any WritableKeyPath<GlobalState, StateType> & Sendable
  ) -> PureReducer<GlobalAction, GlobalState> {
    .reduce { [self] globalAction, globalState in
      guard let action = globalAction[keyPath: action] else { return }
      reduce(action, &globalState[keyPath: state])
    }
  }

  /// Makes the reducer work on a larger state in place, along a case and a property.
  public func lift<GlobalAction, GlobalState>(
    action: CaseKeyPath<GlobalAction, ActionType>,
    state: any WritableKeyPath<GlobalState, StateType> & Sendable
  ) -> PureReducer<GlobalAction, GlobalState> {
    let path = AnyCasePath(action)
    return .reduce { [self] globalAction, globalState in
      guard let action = path.extract(from: globalAction) else { return }
      reduce(action, &globalState[keyPath: state])
    }
  }

  /// Makes the reducer work on a larger state with the same actions.
  public func lift<GlobalState>(
    state: any WritableKeyPath<GlobalState, StateType> & Sendable
  ) -> PureReducer<ActionType, GlobalState> {
    .reduce { [self] action, globalState in reduce(action, &globalState[keyPath: state]) }
  }

  /// Makes the reducer work on more actions with the same state.
  public func lift<GlobalAction>(
    action: any KeyPath<GlobalAction, ActionType?> & Sendable
  ) -> PureReducer<GlobalAction, StateType> {
    lift(action: action, state: \.self)
  }

  /// Makes the reducer work on the actions in one case, with the same state.
  public func lift<GlobalAction>(
    action: CaseKeyPath<GlobalAction, ActionType>
  ) -> PureReducer<GlobalAction, StateType> {
    lift(action: action, state: \.self)
  }
}
