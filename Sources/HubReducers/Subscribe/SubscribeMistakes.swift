// Owns the compiler's messages for a subscription whose parts do not fit together. Each form exists only to be rejected: without it the compiler's
// message would be misleading.

extension Reducer {
  @available(
    *, unavailable,
    message: """
      the action given as 'with:' has a payload of a different type than the elements of the sequence: name a case that \
      carries an element, or convert elements to payloads with a trailing closure
      """
  )
  @_disfavoredOverload
  public func subscribe<Trigger, Elements: AsyncSequence, Payload>(
    to stream: @escaping @Sendable () async throws -> Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>
  ) -> _SubscribeReducer<Self> {
    fatalError()
  }

  @available(*, unavailable, message: "the function given as 'to:' does not return an AsyncSequence")
  @_disfavoredOverload
  public func subscribe<Trigger, Something, Payload>(
    to function: @escaping @Sendable () async throws -> Something, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>
  ) -> _SubscribeReducer<Self> {
    fatalError()
  }

  @available(
    *, unavailable,
    message: """
      the function given as 'to:' takes an argument: name that part of the state with 'using:'
      """
  )
  @_disfavoredOverload
  public func subscribe<Trigger, Argument, Something, Payload>(
    to function: @escaping @Sendable (Argument) async throws -> Something,
    on trigger: CaseKeyPath<Action, Trigger>, with response: CaseKeyPath<Action, Payload>
  ) -> _SubscribeReducer<Self> {
    fatalError()
  }

  @available(
    *, unavailable,
    message: """
      the action given as 'with:' has a payload of a different type than what 'to:' follows: that function must \
      return an AsyncSequence, or a store of the hub, of such payloads
      """
  )
  @_disfavoredOverload
  public func subscribe<Trigger, Argument, Something, Payload>(
    to function: @escaping @Sendable (Argument) async throws -> Something,
    using toArgument: @escaping (State) -> Argument, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>
  ) -> _SubscribeReducer<Self> {
    fatalError()
  }

  @available(
    *, unavailable,
    message: """
      'while:' follows a source: write a function that makes a sequence as 'SequenceSource(function)', and name a case \
      that carries its elements
      """
  )
  @_disfavoredOverload
  public func subscribe<Something, Payload>(
    to function: @escaping @Sendable () async throws -> Something, while condition: @escaping (State) -> Bool,
    with response: CaseKeyPath<Action, Payload>
  ) -> _SubscribeWhileReducer<Self> {
    fatalError()
  }

  @available(
    *, unavailable,
    message: """
      the function given as 'to:' must return a store of the hub or another source, whose elements are the payload of \
      the action given as 'with:'; a sequence is a source as 'SequenceSource { ... }'
      """
  )
  @_disfavoredOverload
  public func subscribe<Argument, Something, Payload>(
    to function: @escaping @Sendable (Argument) async throws -> Something,
    while argument: @escaping (State) -> Argument?, with response: CaseKeyPath<Action, Payload>
  ) -> _SubscribeWhileReducer<Self> {
    fatalError()
  }

  @available(
    *, unavailable,
    message: "pass a function that makes or returns the sequence: 'to: { sequence }'"
  )
  @_disfavoredOverload
  public func subscribe<Trigger, Elements: AsyncSequence, Payload>(
    to elements: Elements, on trigger: CaseKeyPath<Action, Trigger>,
    with response: CaseKeyPath<Action, Payload>
  ) -> _SubscribeReducer<Self> {
    fatalError()
  }

  @available(
    *, unavailable,
    message: """
      the action given as 'with:' has a payload of a different type than the elements of the source: name a case that \
      carries an element, or convert elements to payloads with '.map { ... }' after the source
      """
  )
  @_disfavoredOverload
  public func subscribe<Trigger, Source: SubscriptionSource, Payload>(
    to source: Source, on trigger: CaseKeyPath<Action, Trigger>, with response: CaseKeyPath<Action, Payload>
  ) -> _SubscribeReducer<Self> {
    fatalError()
  }

  @available(
    *, unavailable,
    message: """
      the action given as 'with:' has a payload of a different type than the elements of the source: name a case that \
      carries an element, or convert elements to payloads with '.map { ... }' after the source
      """
  )
  @_disfavoredOverload
  public func subscribe<Source: SubscriptionSource, Payload>(
    to source: Source, while condition: @escaping (State) -> Bool, with response: CaseKeyPath<Action, Payload>
  ) -> _SubscribeWhileReducer<Self> {
    fatalError()
  }
}
