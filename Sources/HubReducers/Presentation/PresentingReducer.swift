// Owns `ifLet` for a child that is presented: its dismissal, and its replacement.

extension Reducer {
  /// `ifLet` for a presented child: `.dismiss` sets its state to `nil` after this reducer has run, which ends its
  /// effects. The child requests it with the dependency `dismiss`.
  ///
  /// If the child's state is a case-pathable enum, changing its case replaces the child.
  @warn_unqualified_access
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some ReducerOf<Self> {
    presenting(child(), state, action, ChildIdentity(), IssueSite(fileID, filePath, line, column))
  }

  /// The same for a child with an identity: its effects also end when another child replaces it, and a replacement
  /// that this reducer presents while handling `.dismiss` stays.
  @warn_unqualified_access
  public func ifLet<ChildState: Identifiable, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, ChildState?>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some ReducerOf<Self> where ChildState.ID: Sendable {
    presenting(
      child(), state, action, ChildIdentity(of: { $0.id }), IssueSite(fileID, filePath, line, column))
  }

  /// The same for a state in a property with `@Presents`.
  @warn_unqualified_access
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some ReducerOf<Self> {
    presenting(
      child(), state.appending(path: \.wrappedValue), action, ChildIdentity(),
      IssueSite(fileID, filePath, line, column))
  }

  /// The same for a state in a property with `@Presents`, with an identity.
  @warn_unqualified_access
  public func ifLet<ChildState: Identifiable, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination child: () -> Child, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some ReducerOf<Self> where ChildState.ID: Sendable {
    presenting(
      child(), state.appending(path: \.wrappedValue), action, ChildIdentity(of: { $0.id }),
      IssueSite(fileID, filePath, line, column))
  }

  func presenting<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ child: Child, _ state: WritableKeyPath<State, ChildState?>,
    _ action: CaseKeyPath<Action, PresentationAction<ChildAction>>, _ identity: ChildIdentity<ChildState>,
    _ site: IssueSite
  ) -> some ReducerOf<Self> {
    let path = AnyCasePath(action)
    return _OptionalChildReducer(
      base: DismissReducer(base: self, state: state, action: path, identity: identity, site: site),
      child: child.dependency(\.dismiss, .presentation), state: .property(state),
      action: action.appending(path: \.presented), identify: identity.forEffects,
      dismissal: { path.embed(.dismiss) }, site: site)
  }
}

/// Distinguishes a presented child from the previous one.
struct ChildIdentity<State> {
  /// The effects of a child end when this changes.
  let forEffects: (State) -> EffectID
  /// A child is not dismissed if this has changed in the meantime: it is more specific, because it is compared at once.
  let forDismissal: (State) -> AnyHashable

  /// The identity of a state without its own: its presence and, for a case-pathable enum, the case. If the payload is
  /// identifiable, a replacement is not dismissed in place of its predecessor.
  init() {
    guard State.self is any CasePathable.Type else {
      forEffects = { _ in .presence }
      forDismissal = { _ in true }
      return
    }
    forEffects = { EffectID(caseName(of: $0)) }
    forDismissal = { state in
      let payload = Mirror(reflecting: state).children.first?.value as? any Identifiable
      return [AnyHashable(caseName(of: state)), payload.map { Self.id(of: $0) }] as [AnyHashable?]
    }
  }

  private static func id(of value: some Identifiable) -> AnyHashable { AnyHashable(value.id) }

  init<ID: Hashable & Sendable>(of id: @escaping (State) -> ID) {
    forEffects = { EffectID(id($0)) }
    forDismissal = { AnyHashable(id($0)) }
  }
}

/// Executes `.dismiss`, and the end of an alert, after the base reducer has handled the action.
struct DismissReducer<Base: Reducer, ChildState, ChildAction>: CompositeReducer {
  let base: Base
  let state: WritableKeyPath<Base.State, ChildState?>
  let action: AnyCasePath<Base.Action, PresentationAction<ChildAction>>
  let identity: ChildIdentity<ChildState>
  let site: IssueSite

  func prepared() -> PreparedReducer<Base.State, Base.Action> {
    base.prepared().wrapped { [self] base, state, action in reduce(base, &state, action) }
  }

  private func reduce(
    _ base: PreparedReducer<Base.State, Base.Action>, _ state: inout Base.State, _ action: Base.Action
  ) -> Effect<Base.Action> {
    guard let presented = self.action.extract(from: action) else {
      return base.reduce(into: &state, action: action)
    }
    let present = state[keyPath: self.state]
    switch presented {
    case .dismiss: if present == nil { site.report("a child that is not presented was dismissed") }
    case .presented(let sent):
      guard let present, endsPresentation(present, sent) else {
        return base.reduce(into: &state, action: action)
      }
    }
    let dismissed = present.map(identity.forDismissal)
    let effect = base.reduce(into: &state, action: action)
    // A child that the base has presented in the meantime is not dismissed.
    if dismissed != nil, state[keyPath: self.state].map(identity.forDismissal) == dismissed {
      state[keyPath: self.state] = nil
    }
    return effect
  }
}
