// Runs a child that can be absent: for `ifLet`, `ifCaseLet` and scopes on an enum's case. It detects the removal of a
// child, and ends its effects.

/// A base reducer and a child whose state may be absent.
///
/// The child runs first, so the base may remove it in the same action. Effects are merged in this order: child,
/// base, end of a removed child.
public struct _OptionalChildReducer<Base: Reducer, Child: Reducer>: Reducer {
  let base: Base
  let child: Child
  let childState: OptionalState<Base.State, Child.State>
  let childAction: AnyCasePath<Base.Action, Child.Action>
  let group: ScopeGroup
  let identify: (Child.State) -> EffectID
  /// The action by which an effect of the child dismisses it, if it is presented.
  let dismissal: (@Sendable () -> Base.Action)?
  let site: IssueSite

  init(
    base: Base, child: Child, state: OptionalState<Base.State, Child.State>,
    action: CaseKeyPath<Base.Action, Child.Action>,
    identify: @escaping (Child.State) -> EffectID = { _ in .presence },
    dismissal: (@Sendable () -> Base.Action)? = nil, site: IssueSite
  ) {
    self.base = base
    self.child = child
    childState = state
    childAction = AnyCasePath(action)
    group = ScopeGroup(action)
    self.identify = identify
    self.dismissal = dismissal
    self.site = site
  }

  /// The same operator around other reducers.
  private init<B: Reducer<Base.State, Base.Action>, C: Reducer<Child.State, Child.Action>>(
    _ other: _OptionalChildReducer<B, C>, base: Base, child: Child
  ) {
    self.base = base
    self.child = child
    childState = other.childState
    childAction = other.childAction
    group = other.group
    identify = other.identify
    dismissal = other.dismissal
    site = other.site
  }

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    let before = childState.read(state).map(identify)
    let childEffect = reduceChild(into: &state, action, before)
    let effect = childEffect.merge(with: base.reduce(into: &state, action: action))
    let after = childState.read(state).map(identify)
    return before == nil || before == after ? effect : effect.merge(with: keep(after))
  }

  private func reduceChild(
    into state: inout Base.State, _ action: Base.Action, _ id: EffectID?
  ) -> Effect<Base.Action> {
    guard let action = childAction.extract(from: action) else { return .none }
    guard let id, let effect = childState.reduce(into: &state, child, action) else {
      site.report(missingChild(action, childState.absence))
      return .none
    }
    return embed(effect, id)
  }

  public func supervise(_ state: Base.State) -> Effect<Base.Action> {
    let present = childState.read(state)
    let id = present.map(identify)
    let effect = base.supervise(state).merge(with: keep(id))
    guard let present, let id else { return effect }
    return effect.merge(with: embed(child.supervise(present), id))
  }

  public static var supervision: Supervision { Base.supervision.union(Child.supervision).union(.scopes) }

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let (base, child) = (base.prepared(), child.prepared())
    return PreparedReducer(
      _OptionalChildReducer<
        PreparedReducer<Base.State, Base.Action>, PreparedReducer<Child.State, Child.Action>
      >(self, base: base, child: child),
      base.supervision.union(child.supervision).union(.scopes))
  }

  private func keep(_ id: EffectID?) -> Effect<Base.Action> {
    Effect(node: .keepScopes(group, alive: id.map { [$0] } ?? []))
  }

  private func embed(_ effect: Effect<Child.Action>, _ id: EffectID) -> Effect<Base.Action> {
    if effect.isNone { return .none }
    return effect.map(childAction.embedValue, dismissal: dismissal).scoped(
      ScopeStep(group: group, element: id))
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

  func reduce<C: Reducer>(into parent: inout Parent, _ child: C, _ action: C.Action) -> Effect<C.Action>?
  where C.State == Child {
    switch self {
    case .property(let keyPath):
      return parent[keyPath: keyPath] == nil
        ? nil : child.reduce(into: &parent[keyPath: keyPath]!, action: action)
    case .enumCase(let path):
      guard var state = path.extract(from: parent) else { return nil }
      defer { parent = path.embed(state) }
      return child.reduce(into: &state, action: action)
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

/// Reports that a child got an action while it was absent.
package func missingChild(_ action: some Any, _ why: String) -> String {
  """
  A child was sent \(String(describing: action)), but \(why), so the action was ignored. Usually an effect \
  outlived the child without belonging to it, code kept a store of a removed child, or a reducer \
  that removes the child is listed before the child's.
  """
}
