// Owns where the library's own work starts: on the global executor, or on a test's.

/// The executor of effects in the current task.
package enum EffectExecutor {
  /// `nil`: the global executor.
  @TaskLocal package static var current: (any TaskExecutor)?
}
