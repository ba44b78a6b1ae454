// Owns where work starts that the library starts by itself: the global executor, or a test's.

/// The executor of effects in the current task.
package enum EffectExecutor {
  /// `nil`: the global executor.
  @TaskLocal package static var current: (any TaskExecutor)?
}
