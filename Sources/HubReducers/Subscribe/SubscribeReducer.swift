// Owns the start and end of triggered subscriptions, and their modifiers.

/// The reducer behind `subscribe(to:on:with:)`: the base reduces first, then a trigger starts the effect.
public struct _SubscribeReducer<Base: Reducer>: CompositeReducer {
  let base: Base
  private(set) var trigger: Trigger<Base.State, Base.Action>

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    base.prepared().wrapped { [trigger] base, state, action in
      trigger.add(to: base.reduce(into: &state, action: action), after: action, state)
    }
  }
}

extension _SubscribeReducer {
  /// Ends the subscription with an action; the next trigger starts it again.
  public func until(_ stop: PartialCaseKeyPath<Base.Action>) -> Self {
    changed { $0.end(with: stop) }
  }

  /// Sets what a second trigger does while the subscription runs. By default it restarts the subscription.
  public func onRetrigger(_ retrigger: Retrigger) -> Self { changed { $0.retrigger = retrigger } }

  /// Sets whether the effects of its actions end with the trigger's `StoreTask`. By default, those of a subscription
  /// continue and those of `receive` end.
  public func responses(_ effects: SentEffects) -> Self { changed { $0.outlet.responses = effects } }

  /// Names the action that carries the subscription's own events. Without it, an error is reported as an issue.
  public func lifecycle(_ event: CaseKeyPath<Base.Action, SubscriptionEvent>) -> Self {
    changed { $0.outlet.lifecycle = AnyCasePath(event) }
  }

  private func changed(_ change: (inout Trigger<Base.State, Base.Action>) -> Void) -> Self {
    var copy = self
    change(&copy.trigger)
    return copy
  }
}

extension Reducer {
  func subscribed<Payload, Source: SubscriptionSource>(
    to source: @escaping (State) -> Source, on trigger: CaseKeyPath<Action, Payload>,
    _ handling: Handling<Action, Source.Element>, _ site: IssueSite, _ responses: SentEffects = .detached
  ) -> _SubscribeReducer<Self> {
    let trigger = Trigger<State, Action>(
      trigger, SubscriptionID(site, trigger: trigger, response: handling.response),
      SubscriptionOutlet(site: site, responses: responses)
    ) { state, outlet in outlet.effect(following: source(state), handling) }
    return _SubscribeReducer(base: self, trigger: trigger)
  }
}

/// Which action starts an effect, which one ends it, and what happens if it is already running.
struct Trigger<State, Action> {
  var retrigger = Retrigger.restart
  var outlet: SubscriptionOutlet<Action>
  private var id: SubscriptionID
  private let isTrigger: (Action) -> Bool
  private var isStop: ((Action) -> Bool)?
  private let start: (State, SubscriptionOutlet<Action>) -> Effect<Action>

  init<Payload>(
    _ trigger: CaseKeyPath<Action, Payload>, _ id: SubscriptionID, _ outlet: SubscriptionOutlet<Action>,
    start: @escaping (State, SubscriptionOutlet<Action>) -> Effect<Action>
  ) {
    self.id = id
    self.outlet = outlet
    let path = AnyCasePath(trigger)
    isTrigger = { path.extract(from: $0) != nil }
    self.start = start
  }

  mutating func end(with stop: PartialCaseKeyPath<Action>) {
    id.stop = stop
    let path = Case<Action>()[keyPath: stop] as? any ErasedCase
    isStop = { path?.payload(of: $0) != nil }
  }

  /// Adds the starts and ends that follow from a reduced action.
  func add(to effect: Effect<Action>, after action: Action, _ state: State) -> Effect<Action> {
    var effect = effect
    if let isStop, isStop(action) { effect = effect.merge(with: Effect(node: .unsubscribe(id))) }
    if isTrigger(action) {
      let node = start(state, outlet).node
      effect = effect.merge(with: Effect(node: .subscribe(id, retrigger.overlap, node)))
    }
    return effect
  }
}
