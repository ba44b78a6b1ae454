// Owns when a triggered subscription starts and stops.

/// The reducer behind `subscribe(to:on:with:)`: the base reduces first, then a trigger starts the effect.
public struct _SubscribeReducer<Base: Reducer>: Reducer {
  let base: Base
  let id: SubscriptionID
  let isTrigger: (Base.Action) -> Bool
  let isStop: (Base.Action) -> Bool
  let retrigger: Retrigger
  let start: (Base.State) -> Effect<Base.Action>

  init<Trigger>(
    base: Base, on trigger: CaseKeyPath<Base.Action, Trigger>, until stop: PartialCaseKeyPath<Base.Action>?,
    _ retrigger: Retrigger, _ response: AnyKeyPath?, _ site: IssueSite,
    start: @escaping (Base.State) -> Effect<Base.Action>
  ) {
    self.base = base
    id = SubscriptionID(site: site, trigger: trigger, response: response)
    let path = AnyCasePath(trigger)
    isTrigger = { path.extract(from: $0) != nil }
    let stopCase = stop.flatMap { Case<Base.Action>()[keyPath: $0] as? any ErasedCase }
    isStop = { stopCase?.contains($0) ?? false }
    self.retrigger = retrigger
    self.start = start
  }

  /// Another one around another reducer.
  private init(_ other: _SubscribeReducer<some Reducer<Base.State, Base.Action>>, base: Base) {
    self.base = base
    id = other.id
    isTrigger = other.isTrigger
    isStop = other.isStop
    retrigger = other.retrigger
    start = other.start
  }

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    var effect = base.reduce(into: &state, action: action)
    if isStop(action) { effect = effect.merge(with: .cancel(id: id)) }
    if isTrigger(action) {
      effect = effect.merge(with: start(state).cancellable(EffectID(id), retrigger.overlap))
    }
    return effect
  }

  public func supervise(_ state: Base.State) -> Effect<Base.Action> { base.supervise(state) }

  public static var supervision: Supervision { Base.supervision }

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let base = base.prepared()
    return PreparedReducer(
      _SubscribeReducer<PreparedReducer<Base.State, Base.Action>>(self, base: base), base.supervision)
  }
}

/// A subscription is known by the line that makes it and by what it connects, in the scope it is in.
struct SubscriptionID: Hashable, @unchecked Sendable {
  // Key paths are immutable, and case key paths capture nothing but further key paths.
  private let trigger: AnyKeyPath?
  private let response: AnyKeyPath?
  private let fileID: String
  private let line: UInt
  private let column: UInt

  init(site: IssueSite, trigger: AnyKeyPath?, response: AnyKeyPath?) {
    self.trigger = trigger
    self.response = response
    fileID = "\(site.fileID)"
    line = site.line
    column = site.column
  }
}

extension SubscriptionID: CustomStringConvertible {
  var description: String { "subscription at \(fileID):\(line)" }
}
