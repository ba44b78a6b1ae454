// Owns stores of parts of another store's state: a property, an optional part, or a presented one.

extension Store {
  /// A store of a part of the state, whose actions are wrapped in a case of this store's actions.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    Store<ChildState, ChildAction>(
      core: core.scoped(action: AnyCasePath(action)) { $0[keyPath: toChildState] })
  }

  /// A store of a part of the state, whose actions are wrapped in a case of this store's actions.
  public func scope<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    scope(state: state, action: action)
  }

  /// A store of an optional part of the state; `nil` while there is none.
  public func scope<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: state, action: action)
  }

  /// A store of a presented part of the state; `nil` while it is not presented.
  public func scope<ChildState, ChildAction>(
    _ state: KeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: state, action: action)
  }

  /// A store of a presented part of the state, in a plain optional property; `nil` while it is not presented.
  public func scope<ChildState, ChildAction>(
    _ state: KeyPath<State, ChildState?>, action: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: state, action: action)
  }

  /// A store of an optional part of the state; `nil` while there is none. Once the part is gone, the store keeps its
  /// last state.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction>? {
    guard let present = core.state[keyPath: toChildState] else { return nil }
    return scope(from: present, AnyCasePath(action)) { $0[keyPath: toChildState] }
  }

  /// A store of an optional part, with its last state once it is gone.
  func scope<ChildState, ChildAction>(
    from present: ChildState, _ action: AnyCasePath<Action, ChildAction>,
    _ toChildState: @escaping (State) -> ChildState?
  ) -> Store<ChildState, ChildAction> {
    var last = present
    return Store<ChildState, ChildAction>(
      core: core.scoped(action: action) {
        last = toChildState($0) ?? last
        return last
      })
  }

  /// A store of a presented part of the state; `nil` while it is not presented.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: toChildState.appending(path: \.wrappedValue), action: action.appending(path: \.presented))
  }

  /// A store of a presented part of the state, in a plain optional property; `nil` while it is not presented.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: toChildState, action: action.appending(path: \.presented))
  }
}
