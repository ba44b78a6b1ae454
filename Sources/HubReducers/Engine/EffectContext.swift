// Owns what running effects know about the engine that runs them.

/// The surroundings of the effect that the current task belongs to.
package struct EffectContext: Sendable {
  @TaskLocal package static var current: EffectContext?

  /// The line that made the effect.
  let site: IssueSite
  let registry: CancelRegistry
  let path: ScopePath
  let token: CancelToken
  let executor: (any TaskExecutor)?
  let outside: OutsideWork
}
