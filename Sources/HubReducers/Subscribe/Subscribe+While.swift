// Owns `subscribe(to:while:)`: subscriptions that follow from the state instead of from actions.

extension Reducer {
  /// Follows a sequence exactly while a condition on the state holds.
  ///
  /// ```swift
  /// .subscribe(to: location.updates, while: \.isTracking, with: \.moved)
  /// ```
  /// After every action of the store, and for its first state, what runs is made to agree with what the state
  /// asks for, whoever changed it. A sequence that ends by itself is followed again once the condition was
  /// false in between. Idea: Elm's subscriptions.
  /// - Parameters:
  ///   - stream: Makes the sequence, each time the condition becomes true.
  ///   - condition: Evaluated after every action of the store.
  ///   - response: The action that carries an element.
  ///   - lifecycle: The action that carries the subscription's own events. Without it an error is a reported
  ///     issue.
  public func subscribe<Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable () async throws -> Elements, while condition: @escaping (State) -> Bool,
    with response: CaseKeyPath<Action, Elements.Element>,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeWhileReducer<Self, Bool> where Elements.Element: Sendable {
    subscribe(
      to: stream, while: condition, with: response, lifecycle: lifecycle, fileID: fileID, filePath: filePath,
      line: line, column: column
    ) { $0 }
  }

  /// Follows a sequence while a condition holds; each element, transformed, is the payload of a response.
  public func subscribe<Elements: AsyncSequence & SendableMetatype, Value>(
    to stream: @escaping @Sendable () async throws -> Elements, while condition: @escaping (State) -> Bool,
    with response: CaseKeyPath<Action, Value>, lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, transform: @escaping @Sendable (Elements.Element) -> Value
  ) -> _SubscribeWhileReducer<Self, Bool> where Elements.Element: Sendable {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription(response, lifecycle, .detached, site, transform: transform)
    return _SubscribeWhileReducer(base: self, response, site, wanted: { condition($0) ? true : nil }) { _ in
      subscription.effect(reading: stream)
    }
  }

  /// Follows a sequence while a condition holds; each element is handled by an operation.
  public func subscribe<Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable () async throws -> Elements, while condition: @escaping (State) -> Bool,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    operation: @escaping @Sendable @concurrent (_ send: Send<Action>, Elements.Element) async throws -> Void
  ) -> _SubscribeWhileReducer<Self, Bool> where Elements.Element: Sendable {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription(lifecycle, .detached, site, deliver: operation)
    return _SubscribeWhileReducer(base: self, nil, site, wanted: { condition($0) ? true : nil }) { _ in
      subscription.effect(reading: stream)
    }
  }

  /// Follows a sequence made from a part of the state exactly while there is one, and anew when it changes.
  ///
  /// ```swift
  /// .subscribe(to: chat.messages, while: \.openRoomID, with: \.messageReceived)
  /// ```
  public func subscribe<Argument: Hashable & Sendable, Elements: AsyncSequence & SendableMetatype>(
    to stream: @escaping @Sendable (Argument) async throws -> Elements,
    while argument: @escaping (State) -> Argument?, with response: CaseKeyPath<Action, Elements.Element>,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> _SubscribeWhileReducer<Self, Argument> where Elements.Element: Sendable {
    let site = IssueSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let subscription = Subscription<Action, Elements.Element>(response, lifecycle, .detached, site) { $0 }
    return _SubscribeWhileReducer(base: self, response, site, wanted: argument) { argument in
      subscription.effect { try await stream(argument) }
    }
  }
}

/// The reducer behind `subscribe(to:while:with:)`.
public struct _SubscribeWhileReducer<Base: Reducer, Argument: Hashable & Sendable>: Reducer {
  private struct ID: Hashable, Sendable {
    var subscription: SubscriptionID
    var argument: Argument
  }

  private let base: Base
  fileprivate let subscription: SubscriptionID
  fileprivate let site: IssueSite
  fileprivate let wanted: (Base.State) -> Argument?
  fileprivate let start: (Argument) -> Effect<Base.Action>

  init(
    base: Base, _ response: AnyKeyPath?, _ site: IssueSite, wanted: @escaping (Base.State) -> Argument?,
    start: @escaping (Argument) -> Effect<Base.Action>
  ) {
    self.base = base
    subscription = SubscriptionID(site: site, trigger: nil, response: response)
    self.site = site
    self.wanted = wanted
    self.start = start
  }

  /// Another one around another reducer.
  private init(_ other: _SubscribeWhileReducer<some Reducer<Base.State, Base.Action>, Argument>, base: Base) {
    self.base = base
    subscription = other.subscription
    site = other.site
    wanted = other.wanted
    start = other.start
  }

  /// The subscription itself is the engine's business; here it only makes sure that the engine was asked.
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    let effect = base.reduce(into: &state, action: action)
    guard let argument = wanted(state) else { return effect }
    return effect.merge(with: Effect(node: .expectsSupervision(id(argument), site)))
  }

  public func supervise(_ state: Base.State) -> Effect<Base.Action> {
    let effect = base.supervise(state)
    guard let argument = wanted(state) else { return effect }
    return effect.merge(with: Effect(node: .supervised(id(argument), start(argument).node)))
  }

  public static var supervision: Supervision { Base.supervision.union(.subscriptions) }

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let base = base.prepared()
    return PreparedReducer(
      _SubscribeWhileReducer<PreparedReducer<Base.State, Base.Action>, Argument>(self, base: base),
      base.supervision.union(.subscriptions))
  }

  private func id(_ argument: Argument) -> EffectID {
    EffectID(ID(subscription: subscription, argument: argument))
  }
}
