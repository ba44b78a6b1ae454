// Owns the delaying of an effect until its trigger has been quiet for a while.

extension Effect {
  /// Starts the effect once no other with the id was asked for during `interval`.
  ///
  /// - Parameter clock: Measures the time; use the dependency `continuousClock`, so that tests advance it.
  public func debounce(
    id: some Hashable & Sendable, for interval: Duration, clock: any Clock<Duration>
  ) -> Self {
    Effect.run { _ in try await clock.sleep(for: interval) }
      .concatenate(with: self)
      .cancellable(id: id, cancelInFlight: true)
  }
}
