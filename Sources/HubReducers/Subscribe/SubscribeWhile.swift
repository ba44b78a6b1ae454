// Owns `subscribe(to:while:)`: subscriptions that follow from the state instead of from actions.

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
