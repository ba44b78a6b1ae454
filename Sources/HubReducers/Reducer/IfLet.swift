// Owns `ifLet` and `ifCaseLet`: a child whose state is an optional property, or one case of the parent's.

extension Reducer {
  /// Runs a child on an optional part of the state. The child runs first, so this reducer may set the state to `nil`
  /// in the same action.
  ///
  /// When the child's state becomes `nil`, all its effects and subscriptions end. An action for a missing child is reported as an issue.
  @warn_unqualified_access
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _OptionalChildReducer<Self, Child> {
    _OptionalChildReducer(
      base: self, child: child(), state: .property(state), action: action,
      site: IssueSite(fileID, filePath, line, column))
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
      site: IssueSite(fileID, filePath, line, column))
  }

  /// Runs a child on one case of an enum state. The child runs first, so this reducer may switch to another case in
  /// the same action.
  ///
  /// When the state leaves the case, all the child's effects and subscriptions end. An action for a child of another case
  /// is reported as an issue.
  @warn_unqualified_access
  public func ifCaseLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: CaseKeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _OptionalChildReducer<Self, Child> {
    _OptionalChildReducer(
      base: self, child: child(), state: .enumCase(AnyCasePath(state)), action: action,
      site: IssueSite(fileID, filePath, line, column))
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
      identify: { EffectID($0.id) }, site: IssueSite(fileID, filePath, line, column))
  }
}

/// A base reducer and a child whose state may be absent.
public struct _OptionalChildReducer<Base: Reducer, Child: Reducer>: CompositeReducer {
  let base: Base
  let child: Child
  let state: OptionalState<Base.State, Child.State>
  let action: CaseKeyPath<Base.Action, Child.Action>
  var identify: (Child.State) -> EffectID = { _ in .presence }
  /// The action by which an effect of the child dismisses it, if it is presented.
  var dismissal: (@Sendable () -> Base.Action)?
  let site: IssueSite

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let (state, identify, path) = (state, identify, AnyCasePath(action))
    var dismiss: (@Sendable (EffectID) -> Base.Action)?
    if let dismissal { dismiss = { _ in dismissal() } }
    let children = Children<Base.State, Base.Action, EffectID, Child.State, Child.Action>(
      group: ScopeGroup(action), site: site,
      ids: { parent in state.read(parent).map { [identify($0)] } ?? [] },
      states: { parent in state.read(parent).map { [$0] } ?? [] },
      recipient: { sent, parent in
        guard let action = path.extract(from: sent) else { return nil }
        return (state.read(parent).map(identify), action)
      },
      reduce: { parent, _, reduce in state.change(&parent, reduce) },
      embed: { _, action in path.embed(action) }, dismissal: dismiss, absence: { _ in state.absence })
    return PreparedReducer(base.prepared(), child.prepared(), children)
  }
}

/// The location of a child's state, if it exists.
enum OptionalState<Parent, Child> {
  case property(WritableKeyPath<Parent, Child?>)
  case enumCase(AnyCasePath<Parent, Child>)

  func read(_ parent: Parent) -> Child? {
    switch self {
    case .property(let keyPath): parent[keyPath: keyPath]
    case .enumCase(let path): path.extract(from: parent)
    }
  }

  /// `nil`: there is no child.
  func change<R>(_ parent: inout Parent, _ body: (inout Child) -> R) -> R? {
    switch self {
    case .property(let keyPath):
      return parent[keyPath: keyPath] == nil ? nil : body(&parent[keyPath: keyPath]!)
    case .enumCase(let path):
      guard var child = path.extract(from: parent) else { return nil }
      defer { parent = path.embed(child) }
      return body(&child)
    }
  }

  var absence: String {
    switch self {
    case .property: "its optional state is nil"
    case .enumCase: "the state is in another case"
    }
  }
}

extension EffectID {
  private struct Presence: Hashable, Sendable {}

  /// The identity of a child that is present or absent.
  static let presence = EffectID(Presence())
}
