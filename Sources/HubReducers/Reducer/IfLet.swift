// Owns `ifLet`: a child whose state is an optional property.

extension Reducer {
  /// Runs a child on an optional part of the state. The child runs first, so this reducer may set the state to `nil`
  /// in the same action.
  ///
  /// When the child's state becomes `nil`, all its effects and subscriptions end. An action for a missing child is a
  /// reported issue.
  @warn_unqualified_access
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _OptionalChildReducer<Self, Child> {
    _OptionalChildReducer(
      base: self, child: child(), state: .property(state), action: action,
      site: IssueSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// The same for a child with an identity: its effects also end when another child replaces it.
  @warn_unqualified_access
  public func ifLet<ChildState: Identifiable, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _OptionalChildReducer<Self, Child> where ChildState.ID: Sendable {
    _OptionalChildReducer(
      base: self, child: child(), state: .property(state), action: action, identify: { EffectID($0.id) },
      site: IssueSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}
