// Owns the running of a child on a part of the parent's state and actions.

/// Embeds a child feature: its state at a property, its actions in a case.
///
/// ```swift
/// Scope(state: \.settings, action: \.settings) { Settings() }
/// ```
/// The child runs where it is listed. Its effects' cancel ids are its own. The child's state may also be an enum's
/// case. Then its effects end when the state leaves the case, and an action for an absent child is reported as an issue.
/// List
/// such a scope before reducers that change the case, or use `ifCaseLet`, which ensures that order.
public struct Scope<ParentState, ParentAction, Child: Reducer>: Reducer {
  @usableFromInline
  enum Content {
    case part(
      WritableKeyPath<ParentState, Child.State>, Child, AnyCasePath<ParentAction, Child.Action>, ScopeStep)
    case enumCase(_OptionalChildReducer<EmptyReducer<ParentState, ParentAction>, Child>)
  }

  @usableFromInline let content: Content

  /// The child's state is a property of the parent's.
  public init<ChildState, ChildAction>(
    state: WritableKeyPath<ParentState, ChildState>, action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child
  ) where ChildState == Child.State, ChildAction == Child.Action {
    content = .part(state, child(), AnyCasePath(action), ScopeStep(group: ScopeGroup(action)))
  }

  /// The child's state is a property of the parent's.
  public init<ChildState, ChildAction>(
    _ state: WritableKeyPath<ParentState, ChildState>, action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child
  ) where ChildState == Child.State, ChildAction == Child.Action {
    self.init(state: state, action: action, child: child)
  }

  /// The child's state is a case of the parent's, which is an enum.
  public init<ChildState, ChildAction>(
    state: CaseKeyPath<ParentState, ChildState>, action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where ChildState == Child.State, ChildAction == Child.Action {
    content = .enumCase(
      _OptionalChildReducer(
        base: EmptyReducer(), child: child(), state: .enumCase(AnyCasePath(state)), action: action,
        site: IssueSite(fileID, filePath, line, column)))
  }

  /// The same for a child with an identity: its effects also end when another child replaces it.
  public init<ChildState: Identifiable, ChildAction>(
    state: CaseKeyPath<ParentState, ChildState>, action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where ChildState == Child.State, ChildAction == Child.Action, ChildState.ID: Sendable {
    content = .enumCase(
      _OptionalChildReducer(
        base: EmptyReducer(), child: child(), state: .enumCase(AnyCasePath(state)), action: action,
        identify: { EffectID($0.id) }, site: IssueSite(fileID, filePath, line, column)))
  }

  @inlinable
  public func reduce(into state: inout ParentState, action: ParentAction) -> Effect<ParentAction> {
    prepared().reduce(into: &state, action: action)
  }

  public func supervise(_ state: ParentState) -> Effect<ParentAction> { prepared().supervise(state) }

  /// The type does not know whether the state is an enum's case.
  public static var supervision: Supervision { Child.supervision.union(.scopes) }

  @inlinable
  public func prepared() -> PreparedReducer<ParentState, ParentAction> {
    switch content {
    case .enumCase(let child): return child.prepared()
    case .part(let part, let child, let path, let step):
      let child = child.prepared()
      return PreparedReducer(child.supervision) { state, action in
        guard let childAction = path.extract(from: action) else { return .none }
        return embed(child.reduce(into: &state[keyPath: part], action: childAction), path, step)
      } supervise: { state in
        embed(child.supervise(state[keyPath: part]), path, step)
      }
    }
  }

  @usableFromInline
  func embed(
    _ effect: Effect<Child.Action>, _ path: AnyCasePath<ParentAction, Child.Action>, _ step: ScopeStep
  ) -> Effect<ParentAction> {
    if effect.isNone { return .none }
    return effect.map(path.embedValue).scoped(step)
  }
}
