// Owns the delay of an effect until its trigger has been quiet for a while.

extension Effect {
  /// Starts the effect once `interval` has passed without another effect with the id.
  ///
  /// - Parameter clock: Measures the time; use the dependency `continuousClock`, so that tests can advance it.
  public func debounce(
    id: some Hashable & Sendable, for interval: Duration, clock: any Clock<Duration>
  ) -> Self {
    Effect.run { _ in try await clock.sleep(for: interval) }
      .concatenate(with: self)
      .cancellable(id: id, cancelInFlight: true)
  }
}
