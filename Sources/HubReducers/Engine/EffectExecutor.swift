// Owns the executor of the library's own work: on the global executor, or on a test's.

/// The executor of effects in the current task.
package enum EffectExecutor {
  /// `nil`: the global executor.
  @TaskLocal package static var current: (any TaskExecutor)?
}
