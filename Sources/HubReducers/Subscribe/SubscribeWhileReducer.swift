// Owns when a subscription runs that follows from the state.

/// The reducer behind `subscribe(to:while:with:)`.
public struct _SubscribeWhileReducer<Base: Reducer, Argument: Hashable & Sendable>: Reducer {
  let base: Base
  let wish: Wish<Base.State, Base.Action, Argument>

  /// The subscription itself is the engine's business; here it only makes sure that the engine was asked.
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    let effect = base.reduce(into: &state, action: action)
    guard let argument = wish.argument(state) else { return effect }
    return effect.merge(with: Effect(node: .expectsSupervision(wish.id(argument), wish.site)))
  }

  public func supervise(_ state: Base.State) -> Effect<Base.Action> {
    let effect = base.supervise(state)
    guard let argument = wish.argument(state) else { return effect }
    return effect.merge(with: Effect(node: .supervised(wish.id(argument), wish.start(argument).node)))
  }

  public static var supervision: Supervision { Base.supervision.union(.subscriptions) }

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let base = base.prepared()
    return PreparedReducer(
      _SubscribeWhileReducer<_, Argument>(base: base, wish: wish), base.supervision.union(.subscriptions))
  }
}

extension Reducer {
  func subscribed<Argument, Element>(
    to source: Source<Argument, Action, Element>, while argument: @escaping (State) -> Argument?,
    _ handling: Handling<Action, Element>
  ) -> _SubscribeWhileReducer<Self, Argument> {
    let wish = Wish<State, Action, Argument>(
      subscription: handling.id, site: handling.site, argument: argument
    ) { source.effect($0, handling) }
    return _SubscribeWhileReducer(base: self, wish: wish)
  }

  func subscribed<Element>(
    to source: Source<Bool, Action, Element>, while condition: @escaping (State) -> Bool,
    _ handling: Handling<Action, Element>
  ) -> _SubscribeWhileReducer<Self, Bool> {
    subscribed(to: source, while: { condition($0) ? true : nil }, handling)
  }
}

/// What a state asks for, and the effect that then runs: one for each argument.
struct Wish<State, Action, Argument: Hashable & Sendable> {
  private struct ID: Hashable, Sendable {
    var subscription: SubscriptionID
    var argument: Argument
  }

  let subscription: SubscriptionID
  let site: IssueSite
  /// `nil`: nothing is to run.
  let argument: (State) -> Argument?
  let start: (Argument) -> Effect<Action>

  func id(_ argument: Argument) -> EffectID {
    EffectID(ID(subscription: subscription, argument: argument))
  }
}
