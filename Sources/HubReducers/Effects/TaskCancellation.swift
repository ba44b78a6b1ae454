// Owns cancel ids inside an effect's operation: naming a part of it, and cancelling by name.

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
