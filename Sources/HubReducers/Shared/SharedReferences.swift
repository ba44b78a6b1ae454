// Owns the shared values by key: one per process, or one per test.

import Synchronization

/// The shared values in use, by key.
final class SharedReferences: Sendable {
  private struct Held {
    weak var object: AnyObject?
  }

  private let held = Mutex<[EffectID: Held]>([:])

  /// The value of the key; made with `initial` if it is not in use.
  func reference<Key: SharedKey>(_ key: Key, initial: () -> Key.Value) -> SharedReference<Key.Value> {
    let id = EffectID(key)
    if let reference = held.withLock({ $0[id]?.object }) as? SharedReference<Key.Value> { return reference }
    let candidate = SharedReference(key, initial: initial())
    return held.withLock { held in
      if let first = held[id]?.object as? SharedReference<Key.Value> { return first }
      held[id] = Held(object: candidate)
      if held.count.isMultiple(of: 64) { held = held.filter { $0.value.object != nil } }
      return candidate
    }
  }
}

extension SharedReferences: DependencyKey {
  static var liveValue: SharedReferences { SharedReferences() }
  static var testValue: SharedReferences { SharedReferences() }
}
