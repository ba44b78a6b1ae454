// Owns `subscribe(to:while:)`: subscriptions that follow from the state instead of from actions, and their modifiers.

extension Reducer {
  /// Follows a source exactly while a condition on the state holds.
  ///
  /// ```swift
  /// .subscribe(to: hub.value("audio.volume", of: Double.self), while: \.isOpen, with: \.volumeChanged)
  /// .subscribe(to: SequenceSource(location.updates), while: \.isTracking, with: \.moved)
  /// ```
  /// After every action of the store, and for its initial state, the running subscriptions are matched to the state,
  /// regardless of what changed it. A source that ends by itself is followed again only after the condition has been
  /// false. Idea: Elm's subscriptions.
  public func subscribe<Source: SubscriptionSource>(
    to source: Source, while condition: @escaping (State) -> Bool,
    with response: CaseKeyPath<Action, Source.Element>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeWhileReducer<Self> {
    subscribed(
      to: { _ in source }, while: { condition($0) ? true : nil }, Handling(response),
      IssueSite(fileID, filePath, line, column))
  }

  /// Follows the source that a part of the state determines, exactly while there is one, and switches to another when
  /// it changes.
  ///
  /// ```swift
  /// .subscribe(to: { hub.value("room.\($0)", of: Int.self) }, while: \.openRoomID, with: \.countChanged)
  /// ```
  public func subscribe<Argument: Hashable & Sendable, Source: SubscriptionSource>(
    to source: @escaping @Sendable (Argument) -> Source, while argument: @escaping (State) -> Argument?,
    with response: CaseKeyPath<Action, Source.Element>, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeWhileReducer<Self> {
    subscribed(
      to: source, while: argument, Handling(response), IssueSite(fileID, filePath, line, column))
  }
}

/// The reducer behind `subscribe(to:while:with:)`.
public struct _SubscribeWhileReducer<Base: Reducer>: CompositeReducer {
  let base: Base
  private(set) var wish: Wish<Base.State, Base.Action>

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let base = base.prepared()
    return PreparedReducer(base.supervision.union(.subscriptions)) { [wish] state, action in
      // The engine runs the subscription; this only checks that it was started.
      let effect = base.reduce(into: &state, action: action)
      guard let argument = wish.argument(state) else { return effect }
      return effect.merge(
        with: Effect(node: .expectsSupervision(wish.id, argument: argument, wish.outlet.site)))
    } supervise: { [wish] state in
      // Inactive subscriptions keep their positions, because the engine numbers them.
      let node = wish.start(state, wish.outlet)?.node ?? .none
      return base.supervise(state).merge(
        with: Effect(node: .supervised(wish.id, argument: wish.argument(state), node)))
    }
  }
}

extension _SubscribeWhileReducer {
  /// Sets whether the effects of its actions end with the subscription. By default they continue.
  public func responses(_ effects: SentEffects) -> Self { changed { $0.outlet.responses = effects } }

  /// Names the action that carries the subscription's own events. Without it, an error is reported as an issue.
  public func lifecycle(_ event: CaseKeyPath<Base.Action, SubscriptionEvent>) -> Self {
    changed { $0.outlet.lifecycle = AnyCasePath(event) }
  }

  private func changed(_ change: (inout Wish<Base.State, Base.Action>) -> Void) -> Self {
    var copy = self
    change(&copy.wish)
    return copy
  }
}

extension Reducer {
  func subscribed<Argument: Hashable & Sendable, Source: SubscriptionSource>(
    to source: @escaping (Argument) -> Source, while argument: @escaping (State) -> Argument?,
    _ handling: Handling<Action, Source.Element>, _ site: IssueSite
  ) -> _SubscribeWhileReducer<Self> {
    let wish = Wish<State, Action>(
      id: SubscriptionID(site, response: handling.response),
      outlet: SubscriptionOutlet(site: site, responses: .detached),
      argument: { argument($0).map { EffectID($0) } },
      start: { state, outlet in argument(state).map { outlet.effect(following: source($0), handling) } })
    return _SubscribeWhileReducer(base: self, wish: wish)
  }
}

/// The state's requirement, and its effect: one for each argument.
struct Wish<State, Action> {
  let id: SubscriptionID
  var outlet: SubscriptionOutlet<Action>
  /// `nil`: no subscription.
  let argument: (State) -> EffectID?
  let start: (State, SubscriptionOutlet<Action>) -> Effect<Action>?
}
