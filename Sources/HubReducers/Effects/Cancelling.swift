// Owns cancel ids, by which later effects can end or replace an effect.

extension Effect {
  /// Gives the effect an id with which ``cancel(id:)`` cancels it, even before it has started.
  ///
  /// Ids belong to the scope they are used in: two children of different scopes, or two rows of a `forEach`,
  /// never collide. A parent's ``cancel(id:)`` reaches the scopes below it.
  /// - Parameters:
  ///   - id: Any value; values of different types never collide.
  ///   - cancelInFlight: Whether effects with this id in exactly this scope are cancelled first. An effect with the
  ///     same id that contains this one is not cancelled.
  public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Self {
    cancellable(EffectID(id), cancelInFlight ? .cancelOld : .both)
  }

  /// Cancels every effect with the id, in this scope and the scopes below it, started or not.
  ///
  /// Effects of actions that it sent continue.
  public static func cancel(id: some Hashable & Sendable) -> Self { Self(node: .cancel(EffectID(id))) }

  /// Cancels every effect with one of the ids.
  public static func cancel(ids: some Sequence<some Hashable & Sendable>) -> Self {
    .merge(ids.map { .cancel(id: $0) })
  }

  func cancellable(_ id: EffectID, _ overlap: EffectOverlap) -> Self {
    if isNone, overlap != .cancelOld { return self }
    return Self(node: .cancellable(id, overlap, node))
  }

  /// The effect as seen from outside the scope it belongs to.
  func scoped(_ step: ScopeStep) -> Self {
    if isNone { return self }
    return Self(node: .scoped(step, node))
  }
}
