// Owns the presentation of states without a feature: alerts and dialogs, which any action closes.

/// A presented state that has actions but no feature: any of its actions ends the presentation.
public protocol _EphemeralState<Action>: Identifiable {
  associatedtype Action
}

extension AlertState: _EphemeralState {}
extension ConfirmationDialogState: _EphemeralState {}

extension Reducer {
  /// `ifLet` for an alert or a dialog, which has no feature: it is closed by any of its actions, and by `.dismiss`.
  @warn_unqualified_access
  public func ifLet<ChildState: _EphemeralState>(
    _ state: WritableKeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildState.Action>>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some ReducerOf<Self> where ChildState.ID: Sendable {
    presenting(
      EmptyReducer<ChildState, ChildState.Action>(), state.appending(path: \.wrappedValue), action,
      ChildIdentity(of: { $0.id }), IssueSite(fileID, filePath, line, column))
  }

  /// The same for a plain optional property.
  @warn_unqualified_access
  public func ifLet<ChildState: _EphemeralState>(
    _ state: WritableKeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, PresentationAction<ChildState.Action>>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some ReducerOf<Self> where ChildState.ID: Sendable {
    presenting(
      EmptyReducer<ChildState, ChildState.Action>(), state, action, ChildIdentity(of: { $0.id }),
      IssueSite(fileID, filePath, line, column))
  }
}

/// Whether an action ends the presentation of a state: that of an alert or a dialog, or of an enum's case that holds one.
///
/// Cost: nothing for other states, a microsecond or two of reflection for an enum.
func endsPresentation<State>(_ state: State, _ action: some Any) -> Bool {
  if State.self is any _EphemeralState.Type { return true }
  guard State.self is any CasePathable.Type,
    let presented = Mirror(reflecting: state).children.first?.value as? any _EphemeralState,
    let sent = Mirror(reflecting: action).children.first?.value
  else { return false }
  return isAction(sent, of: presented)
}

private func isAction<Presented: _EphemeralState>(_ action: Any, of presented: Presented) -> Bool {
  action is Presented.Action
}
