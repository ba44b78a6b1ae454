// Owns cancel ids, by which later effects can end or replace an effect, or a part of its operation.

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

/// Runs `operation` so that `.cancel(id:)` and `Task.cancel(id:)` in the same scope cancel it.
///
/// Use it inside `Effect.run`; elsewhere it reports an issue and just runs the operation. `cancelInFlight` cancels
/// what is already running under the id, except the effect whose operation this is part of.
/// - Throws: What `operation` throws; a `CancellationError` only if it throws one when cancelled.
public func withTaskCancellation<T: Sendable>(
  id: some Hashable & Sendable, cancelInFlight: Bool = false,
  isolation: isolated (any Actor)? = #isolation,
  operation: @escaping @Sendable @concurrent () async throws -> T, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) async throws -> T {
  guard let context = EffectContext.current else {
    reportIssue(
      "withTaskCancellation(id: \(id)) outside of an effect: nothing can cancel it by id",
      fileID: fileID, filePath: filePath, line: line, column: column)
    return try await operation()
  }
  let id = EffectID(id)
  if cancelInFlight { context.registry.cancel(id, exactlyAt: context.path, inFavourOf: context.token) }
  let token = CancelToken(parent: context.token)
  context.registry.add(id, at: context.path, token)
  defer {
    context.registry.remove(id, token)
    token.end()
  }
  let task = Task(executorPreference: context.executor) { try await operation() }
  token.onCancel { task.cancel() }
  return try await withTaskCancellationHandler {
    try await task.value
  } onCancel: {
    task.cancel()
  }
}

extension Task<Never, Never> {
  /// Cancels the effects with the id in the current effect's scope and the scopes below it.
  public static func cancel(
    id: some Hashable & Sendable, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    guard let context = EffectContext.current else {
      reportIssue(
        "Task.cancel(id: \(id)) outside of an effect: there is no scope to cancel in",
        fileID: fileID, filePath: filePath, line: line, column: column)
      return
    }
    context.registry.cancel(EffectID(id), within: context.path)
  }
}
