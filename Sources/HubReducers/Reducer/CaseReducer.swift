// Owns features that are made of one feature for each case of an enum, and the operators that need no closure for them.

/// A feature whose state is an enum with a feature for each case. `@Reducer` on an enum generates one.
public protocol CaseReducer<State, Action>: Reducer
where State: CaseReducerState, State.StateReducer == Self, Body: Reducer<State, Action> {
  /// The features of all cases.
  static var body: Body { get }

  /// The store of the case that a state is in, as a case of this type.
  associatedtype CaseScope

  /// The store of the case that the store's state is in.
  @MainActor
  static func scope(_ store: Store<State, Action>) -> CaseScope
}

extension CaseReducer {
  public var body: Body { Self.body }
}

/// The state of a feature that consists of one feature for each case.
public protocol CaseReducerState<StateReducer> {
  associatedtype StateReducer: CaseReducer where StateReducer.State == Self
}

extension Reducer {
  /// `ifLet` for a presented child whose state determines its feature: an enum with `@Reducer`.
  @warn_unqualified_access
  public func ifLet<ChildState: CaseReducerState>(
    _ state: WritableKeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildState.StateReducer.Action>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    presenting(
      ChildState.StateReducer.body, state.appending(path: \.wrappedValue), action, ChildIdentity(),
      IssueSite(fileID, filePath, line, column))
  }

  /// The same for a plain optional property.
  @warn_unqualified_access
  public func ifLet<ChildState: CaseReducerState>(
    _ state: WritableKeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, PresentationAction<ChildState.StateReducer.Action>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    presenting(
      ChildState.StateReducer.body, state, action, ChildIdentity(), IssueSite(fileID, filePath, line, column))
  }

  /// `forEach` on a stack whose elements' states determine their features: an enum with `@Reducer`.
  @warn_unqualified_access
  public func forEach<ElementState: CaseReducerState>(
    _ stack: WritableKeyPath<State, StackState<ElementState>>,
    action: CaseKeyPath<Action, StackAction<ElementState, ElementState.StateReducer.Action>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> some ReducerOf<Self> {
    stacking(ElementState.StateReducer.body, stack, action, IssueSite(fileID, filePath, line, column))
  }
}

extension Store where State: CaseReducerState, State.StateReducer.Action == Action {
  /// The store of the case that the state is in: `switch store.case { case .counter(let store): ... }`.
  public var `case`: State.StateReducer.CaseScope { State.StateReducer.scope(self) }
}

extension Store {
  /// The store of a case that the state is in. Once the state has left the case, the store keeps the last value. Used
  /// by the expansion of `@Reducer`.
  public func _scope<ChildState, ChildAction>(
    _ present: ChildState, state toChildState: CaseKeyPath<State, ChildState>,
    action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    let path = AnyCasePath(toChildState)
    return scope(from: present, AnyCasePath(action)) { path.extract(from: $0) }
  }
}
