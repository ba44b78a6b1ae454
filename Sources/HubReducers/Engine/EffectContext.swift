// Owns the context of running effects, and the executor of the library's own work.

/// The surroundings of the effect that the current task belongs to.
package struct EffectContext: Sendable {
  @TaskLocal package static var current: EffectContext?

  /// The line that made the effect.
  let site: IssueSite
  /// The actions of the reducer that made it.
  let maker: Any.Type
  let registry: CancelRegistry
  let path: ScopePath
  let token: CancelToken
  let executor: (any TaskExecutor)?
  let outside: ExternalWork
}

extension EffectContext {
  /// The name of the reducer that made the effect, for reports: derived from its actions, such as `Counter` for
  /// `Counter.Action`.
  var reducer: String {
    String(reflecting: maker).replacing(/\(unknown context at [^)]*\)\./, with: "").replacing(
      /\.Action$/, with: "")
  }
}

/// The executor of effects in the current task.
package enum EffectExecutor {
  /// `nil`: the global executor.
  @TaskLocal package static var current: (any TaskExecutor)?
}
