// Notifies observers of a store's published states: Observation, and waiting sequences.

import Observation

/// How often the state was published, and which parts of it changed, as something that can be observed and awaited.
@MainActor
final class StoreChanges: Observable {
  /// A property of the state of a store, or of a part of it.
  struct Part: Hashable {
    let core: ObjectIdentifier
    let property: AnyKeyPath
  }

  /// Whether a part that was read has changed; `nil` once its store is gone.
  typealias Check = @MainActor () -> Bool?

  private let registrar = ObservationRegistrar()
  let published = CurrentValue(0)
  /// The parts that were read since they last changed, bounded by what a program reads: the properties of its stores.
  private var read: [Part: Check] = [:]
  private var sweepsAt = 64

  private var count: Int { published.value }
  private static let count: KeyPath<StoreChanges, Int> = \.count

  private subscript(part: Part) -> Int { count }

  deinit { published.finish() }

  /// Registers a read of the state with Observation.
  func access() { registrar.access(self, keyPath: StoreChanges.count) }

  /// Registers a read of a part of the state with Observation.
  func access(_ part: Part, _ hasChanged: @escaping Check) {
    registrar.access(self, keyPath: \.[part])
    // Parts read before this drain are compared with their values after it.
    if let known = read[part], known() != nil { return }
    read[part] = hasChanged
    guard read.count >= sweepsAt else { return }
    read = read.filter { $0.value() != nil }
    sweepsAt = max(64, read.count * 2)
  }

  /// Notifies all observers of a new state, and those of changed parts.
  func publish() {
    registrar.withMutation(of: self, keyPath: StoreChanges.count) { published.set(count + 1) }
    if read.isEmpty { return }
    let changed = read.filter { $0.value() ?? true }.keys
    for part in changed { read[part] = nil }
    for part in changed { registrar.withMutation(of: self, keyPath: \.[part]) {} }
  }
}
