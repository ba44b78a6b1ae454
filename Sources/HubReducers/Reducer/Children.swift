// Runs children whose states come and go: for `ifLet`, `ifCaseLet`, `forEach` and scopes on an enum's case. It detects the
// removal of a child, and ends its effects.

/// Where an operator's children are in the parent's state and actions.
struct Children<State, Action, ID: Hashable & Sendable, ChildState, ChildAction> {
  typealias Reduction = (inout ChildState) -> Effect<ChildAction>

  let group: ScopeGroup
  let site: IssueSite
  /// Those that exist, in the order of `states`.
  let ids: (State) -> [ID]
  let states: (State) -> [ChildState]
  /// The child that an action is for, `nil` if it is absent, and the child's own action.
  let recipient: (Action, State) -> (id: ID?, action: ChildAction)?
  /// Changes the state of a child; `nil` if it is absent.
  let reduce: (inout State, ID, Reduction) -> Effect<ChildAction>?
  let embed: @Sendable (ID, ChildAction) -> Action
  /// The action by which an effect of a child dismisses it, if it is presented.
  var dismissal: (@Sendable (ID) -> Action)?
  /// Why a child is absent, for a report.
  let absence: (ID?) -> String

  /// The end of all children that do not exist.
  fileprivate func keep(_ ids: [ID]) -> Effect<Action> {
    Effect(node: .keepScopes(group, alive: Set(ids.map { EffectID($0) })))
  }

  /// A child's effect as the parent's.
  fileprivate func embed(_ effect: Effect<ChildAction>, _ id: ID) -> Effect<Action> {
    if effect.isNone { return .none }
    var dismissal: (@Sendable () -> Action)?
    if let dismiss = self.dismissal { dismissal = { dismiss(id) } }
    return effect.map({ [embed] in embed(id, $0) }, dismissal: dismissal)
      .scoped(ScopeStep(group: group, element: EffectID(id)))
  }
}

extension PreparedReducer {
  /// A base reducer and its children.
  ///
  /// A child runs first, so the base may remove it in the same action. Effects are merged in this order: child, base, ends
  /// of removed children.
  init<ID, ChildState, ChildAction>(
    _ base: PreparedReducer, _ child: PreparedReducer<ChildState, ChildAction>,
    _ children: Children<State, Action, ID, ChildState, ChildAction>
  ) {
    func reduceChild(_ state: inout State, _ action: Action) -> Effect<Action> {
      guard let (id, action) = children.recipient(action, state) else { return .none }
      guard let id, let effect = children.reduce(&state, id, { child.reduce(into: &$0, action: action) })
      else {
        children.site.report(missingChild(action, children.absence(id)))
        return .none
      }
      return children.embed(effect, id)
    }
    self.init(base.supervision.union(child.supervision).union(.scopes)) { state, action in
      // Only effects in flight can outlive a child: otherwise ids are not compared.
      let inFlight = CancelRegistry.current?.hasScopes ?? true
      var before = inFlight ? children.ids(state) : nil
      let childEffect = reduceChild(&state, action)
      if before == nil, !childEffect.isNone { before = children.ids(state) }
      let effect = childEffect.merge(with: base.reduce(into: &state, action: action))
      guard let before, case let after = children.ids(state), before != after else { return effect }
      return effect.merge(with: children.keep(after))
    } supervise: { state in
      let ids = children.ids(state)
      let effect = base.supervise(state).merge(with: children.keep(ids))
      if child.supervision.isEmpty { return effect }
      let supervised = zip(ids, children.states(state)).map { children.embed(child.supervise($1), $0) }
      return effect.merge(with: .merge(supervised))
    }
  }
}

/// Reports that a child got an action while it was absent.
package func missingChild(_ action: some Any, _ why: String) -> String {
  """
  A child was sent \(String(describing: action)), but \(why), so the action was ignored. Usually an effect \
  outlived the child without belonging to it, code kept a store of a removed child, or a reducer \
  that removes the child is listed before the child's.
  """
}
