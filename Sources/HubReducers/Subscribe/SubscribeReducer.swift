// Owns when a triggered subscription starts and stops.

/// The reducer behind `subscribe(to:on:with:)`: the base reduces first, then a trigger starts the effect.
public struct _SubscribeReducer<Base: Reducer>: Reducer {
  let base: Base
  let trigger: Trigger<Base.State, Base.Action>

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    var effect = base.reduce(into: &state, action: action)
    trigger.add(to: &effect, after: action, state)
    return effect
  }

  public func supervise(_ state: Base.State) -> Effect<Base.Action> { base.supervise(state) }

  public static var supervision: Supervision { Base.supervision }

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let base = base.prepared()
    return PreparedReducer(_SubscribeReducer<_>(base: base, trigger: trigger), base.supervision)
  }
}

extension Reducer {
  func subscribed<Payload, Element>(
    to source: Source<State, Action, Element>, on trigger: CaseKeyPath<Action, Payload>,
    until stop: PartialCaseKeyPath<Action>?, _ retrigger: Retrigger, _ handling: Handling<Action, Element>
  ) -> _SubscribeReducer<Self> {
    let trigger = Trigger<State, Action>(trigger, until: stop, retrigger, handling.id) { state in
      source.effect(state, handling)
    }
    return _SubscribeReducer(base: self, trigger: trigger)
  }
}

/// Which action starts an effect, which ends it, and what happens if it runs already.
struct Trigger<State, Action> {
  private let id: SubscriptionID
  private let isTrigger: (Action) -> Bool
  private let isStop: (Action) -> Bool
  private let retrigger: Retrigger
  private let start: (State) -> Effect<Action>

  init<Payload>(
    _ trigger: CaseKeyPath<Action, Payload>, until stop: PartialCaseKeyPath<Action>? = nil,
    _ retrigger: Retrigger, _ id: SubscriptionID, start: @escaping (State) -> Effect<Action>
  ) {
    self.id = id.started(by: trigger)
    let path = AnyCasePath(trigger)
    isTrigger = { path.extract(from: $0) != nil }
    let stopCase = stop.flatMap { Case<Action>()[keyPath: $0] as? any ErasedCase }
    isStop = { stopCase?.payload(of: $0) != nil }
    self.retrigger = retrigger
    self.start = start
  }

  /// Adds what an action that has been reduced ends and starts.
  func add(to effect: inout Effect<Action>, after action: Action, _ state: State) {
    if isStop(action) { effect = effect.merge(with: .cancel(id: id)) }
    if isTrigger(action) {
      effect = effect.merge(with: start(state).cancellable(EffectID(id), retrigger.overlap))
    }
  }
}

/// A subscription is known by the line that makes it and by what it connects, in the scope it is in.
struct SubscriptionID: Hashable, @unchecked Sendable {
  // Key paths are immutable, and case key paths capture nothing but further key paths.
  private var trigger: AnyKeyPath?
  private let response: AnyKeyPath?
  private let fileID: String
  private let line: UInt
  private let column: UInt

  init(site: IssueSite, response: AnyKeyPath?) {
    self.response = response
    fileID = "\(site.fileID)"
    line = site.line
    column = site.column
  }

  func started(by trigger: AnyKeyPath) -> Self {
    var id = self
    id.trigger = trigger
    return id
  }
}

extension SubscriptionID: CustomStringConvertible {
  var description: String { "subscription at \(fileID):\(line)" }
}
