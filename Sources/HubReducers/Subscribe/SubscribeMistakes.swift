// Owns what the compiler says about a subscription whose action carries something else than what is subscribed to,
// or that has nothing to subscribe to.

extension Reducer {
  /// Only there to be refused: without it the compiler complains of the wrong argument.
  @available(
    *, unavailable,
    message: """
      the action given as 'with:' has a payload of another type than the elements of the sequence: name a case that \
      carries an element, or turn elements into payloads with a trailing closure
      """
  )
  @_disfavoredOverload
  public func subscribe<Trigger, Elements: AsyncSequence, Payload>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil
  ) -> _SubscribeReducer<Self> {
    fatalError()
  }

  /// The same for a function that makes no sequence at all.
  @available(*, unavailable, message: "the function given as 'to:' does not return an AsyncSequence")
  @_disfavoredOverload
  public func subscribe<Trigger, Something, Payload>(
    to function: @escaping @Sendable () async throws -> Something, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>, until stop: PartialCaseKeyPath<Action>? = nil,
    onRetrigger retrigger: Retrigger = .restart, responses: SentEffects = .detached,
    lifecycle: CaseKeyPath<Action, SubscriptionEvent>? = nil
  ) -> _SubscribeReducer<Self> {
    fatalError()
  }
}
