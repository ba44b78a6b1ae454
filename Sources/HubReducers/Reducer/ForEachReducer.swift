// Owns the reducer behind `forEach`: which element gets an action, and when an element's effects end.

/// A base reducer and a child for each element of a collection. Effects are merged in this order: child, base, ends of
/// removed elements.
public struct _ForEachReducer<Base: Reducer, Elements: MutableCollection, ID, Element: Reducer>: Reducer
where ID: Hashable & Sendable, Element.State == Elements.Element {
  let base: Base
  let element: Element
  let elements: WritableKeyPath<Base.State, Elements>
  let elementAction: AnyCasePath<Base.Action, IdentifiedAction<ID, Element.Action>>
  let group: ScopeGroup
  let ids: (Elements) -> [ID]
  let index: (Elements, ID) -> Elements.Index?
  /// The action by which an effect of an element dismisses it, if it is presented.
  let dismissal: (@Sendable (ID) -> Base.Action)?
  let site: IssueSite
  /// Whether elements can have state-driven parts at all.
  let supervisesElements: Bool

  init(
    base: Base, element: Element, elements: WritableKeyPath<Base.State, Elements>,
    action: CaseKeyPath<Base.Action, IdentifiedAction<ID, Element.Action>>,
    ids: @escaping (Elements) -> [ID], index: @escaping (Elements, ID) -> Elements.Index?, site: IssueSite
  ) {
    self.init(
      base: base, element: element, elements: elements, action: AnyCasePath(action),
      group: ScopeGroup(action),
      ids: ids, index: index, site: site)
  }

  init(
    base: Base, element: Element, elements: WritableKeyPath<Base.State, Elements>,
    action: AnyCasePath<Base.Action, IdentifiedAction<ID, Element.Action>>, group: ScopeGroup,
    ids: @escaping (Elements) -> [ID], index: @escaping (Elements, ID) -> Elements.Index?,
    dismissal: (@Sendable (ID) -> Base.Action)? = nil, site: IssueSite
  ) {
    self.base = base
    self.element = element
    self.elements = elements
    elementAction = action
    self.group = group
    self.ids = ids
    self.index = index
    self.dismissal = dismissal
    self.site = site
    supervisesElements = !Element.supervision.isEmpty
  }

  /// The same operator around other reducers.
  private init<B: Reducer<Base.State, Base.Action>, E: Reducer<Element.State, Element.Action>>(
    _ other: _ForEachReducer<B, Elements, ID, E>, base: Base, element: Element, supervisesElements: Bool
  ) {
    self.base = base
    self.element = element
    elements = other.elements
    elementAction = other.elementAction
    group = other.group
    ids = other.ids
    index = other.index
    dismissal = other.dismissal
    site = other.site
    self.supervisesElements = supervisesElements
  }

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    // Only effects in flight can outlive an element: otherwise ids are not compared.
    let inFlight = CancelRegistry.current?.hasScopes ?? true
    var before = inFlight ? ids(state[keyPath: elements]) : nil
    let elementEffect = reduceElement(into: &state, action)
    if before == nil, !elementEffect.isNone { before = ids(state[keyPath: elements]) }
    let effect = elementEffect.merge(with: base.reduce(into: &state, action: action))
    guard let before, before != ids(state[keyPath: elements]) else { return effect }
    return effect.merge(with: keep(state))
  }

  private func reduceElement(into state: inout Base.State, _ action: Base.Action) -> Effect<Base.Action> {
    guard case .element(let id, let action) = elementAction.extract(from: action) else { return .none }
    guard let index = index(state[keyPath: elements], id) else {
      site.report(missingChild(action, "there is no element with the id \(id)"))
      return .none
    }
    return embed(element.reduce(into: &state[keyPath: elements][index], action: action), id)
  }

  public func supervise(_ state: Base.State) -> Effect<Base.Action> {
    let effect = base.supervise(state).merge(with: keep(state))
    guard supervisesElements else { return effect }
    let children = zip(ids(state[keyPath: elements]), state[keyPath: elements])
    return effect.merge(with: .merge(children.map { id, child in embed(element.supervise(child), id) }))
  }

  public static var supervision: Supervision { Base.supervision.union(Element.supervision).union(.scopes) }

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let (base, element) = (base.prepared(), element.prepared())
    return PreparedReducer(
      _ForEachReducer<
        PreparedReducer<Base.State, Base.Action>, Elements, ID, PreparedReducer<Element.State, Element.Action>
      >(
        self, base: base, element: element, supervisesElements: !element.supervision.isEmpty),
      base.supervision.union(element.supervision).union(.scopes))
  }

  private func keep(_ state: Base.State) -> Effect<Base.Action> {
    Effect(node: .keepScopes(group, alive: Set(ids(state[keyPath: elements]).map { EffectID($0) })))
  }

  private func embed(_ effect: Effect<Element.Action>, _ id: ID) -> Effect<Base.Action> {
    if effect.isNone { return .none }
    let elementAction = elementAction
    var dismissal: (@Sendable () -> Base.Action)?
    if let dismiss = self.dismissal { dismissal = { dismiss(id) } }
    return effect.map({ elementAction.embed(.element(id: id, action: $0)) }, dismissal: dismissal)
      .scoped(ScopeStep(group: group, element: EffectID(id)))
  }
}
