// Owns a store's states as an asynchronous sequence.

extension Store where State: Sendable {
  /// The current state, then the newest one after each publication that the reader has not seen.
  ///
  /// Any number of readers may use it, from any isolation. A slow reader skips states, but never the last. It ends
  /// when the store is released.
  public nonisolated var states: States { States(store: self) }

  /// The newest states of a store.
  public struct States: AsyncSequence, Sendable {
    public typealias Element = State
    public typealias Failure = Never

    weak let store: Store?

    public func makeAsyncIterator() -> Iterator { Iterator(store: store) }

    public struct Iterator: AsyncIteratorProtocol {
      private weak var store: Store?
      private var published: CurrentValue<Int>?
      private var seen = 0

      init(store: Store?) { self.store = store }

      public mutating func next(isolation actor: isolated (any Actor)?) async -> State? {
        if published == nil { published = await store?.published }
        guard let version = await published?.next(after: seen)?.version else { return nil }
        seen = version
        return await store?.state
      }
    }
  }
}

extension Store {
  fileprivate var published: CurrentValue<Int> { changes.published }
}
