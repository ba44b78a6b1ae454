// Owns a store's states as an asynchronous sequence.

extension Store where State: Sendable {
  public typealias States = PublishedStates<State>

  /// The current state, then the newest one after each publication that the reader has not seen.
  ///
  /// Any number of readers may use it, from any isolation. A slow reader skips states, but never the last. It ends
  /// when the store is released.
  public nonisolated var states: States {
    PublishedStates(
      published: { [weak self] in await self?.changes.published }, state: { [weak self] in await self?.state }
    )
  }
}

/// The newest states of a store.
public struct PublishedStates<State: Sendable>: AsyncSequence, Sendable {
  public typealias Element = State
  public typealias Failure = Never

  /// Counts publications; `nil`: the store is gone.
  let published: @Sendable () async -> CurrentValue<Int>?
  let state: @Sendable () async -> State?

  public func makeAsyncIterator() -> Iterator { Iterator(states: self) }

  public struct Iterator: AsyncIteratorProtocol {
    private let states: PublishedStates
    private var published: CurrentValue<Int>?
    private var seen = 0

    init(states: PublishedStates) { self.states = states }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> State? {
      if published == nil { published = await states.published() }
      guard let version = await published?.next(after: seen)?.version else { return nil }
      seen = version
      return await states.state()
    }
  }
}
