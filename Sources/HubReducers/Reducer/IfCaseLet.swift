// Owns `ifCaseLet`: a child whose state is one case of the parent's.

extension Reducer {
  /// Runs a child on one case of an enum state. The child runs first, so this reducer may switch to another case in
  /// the same action.
  ///
  /// When the state leaves the case, all the child's effects and subscriptions end. An action for a child of another case
  /// is a reported issue.
  @warn_unqualified_access
  public func ifCaseLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: CaseKeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _OptionalChildReducer<Self, Child> {
    _OptionalChildReducer(
      base: self, child: child(), state: .enumCase(AnyCasePath(state)), action: action,
      site: IssueSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// The same for a child with an identity: its effects also end when another child replaces it.
  @warn_unqualified_access
  public func ifCaseLet<ChildState: Identifiable, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: CaseKeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _OptionalChildReducer<Self, Child> where ChildState.ID: Sendable {
    _OptionalChildReducer(
      base: self, child: child(), state: .enumCase(AnyCasePath(state)), action: action,
      identify: { EffectID($0.id) },
      site: IssueSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}
