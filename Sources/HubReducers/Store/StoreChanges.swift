// Owns telling observers that a store's state was published: to Observation, and to waiting sequences.

import Observation

/// How often the state was published, as something that can be observed and awaited.
@MainActor
final class StoreChanges: Observable {
  private let registrar = ObservationRegistrar()
  let published = CurrentValue(0)

  private var count: Int { published.value }

  deinit { published.finish() }

  /// Tells Observation that the state is being read.
  func access() { registrar.access(self, keyPath: \.count) }

  /// Tells all observers that there is a new state.
  func publish() {
    registrar.withMutation(of: self, keyPath: \.count) { published.set(count + 1) }
  }
}
