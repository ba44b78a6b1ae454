// What the copies of a handle share: where the store is, and where its newest value can be read without a lock. It is
// independent of types.

internal import HubCore
internal import Synchronization

@usableFromInline
final class StorePlace: Sendable {
  let hub: Hub
  let name: String
  /// The name as requests have it: checked once.
  private let checked: Result<StoreName, HubError>
  /// From the first `glance` on: what the core shows to this handle. Owned; a plain pointer, so that readers on many threads do
  /// not count references to one object, which would cost them more than all else.
  private let cell = Atomic<Unmanaged<CachedValue>?>(nil)

  @usableFromInline
  init(_ hub: Hub, _ name: String) {
    self.hub = hub
    self.name = name
    checked = Result { () throws(HubError) in try StoreName(name) }
  }

  /// Set by the first read of `freshness`: the Hub follows providers while this exists.
  private let followsProviders = Atomic(false)

  deinit {
    if followsProviders.load(ordering: .acquiring) {
      hub.driver.withCore { core, effects in core.leaveProviders(&effects) }
    }
    guard let cell = cell.load(ordering: .acquiring) else { return }
    hub.driver.withCore { [name] core, _ in core.leaveCached(name) }
    cell.release()
  }

  /// - Throws: `invalidName`.
  @usableFromInline
  var reference: StoreReference {
    get throws(HubError) { .name(try checked.get()) }
  }

  var key: Result<WatchKey, HubError> {
    Result { () throws(HubError) in try WatchKey(checked.get()) }
  }

  // MARK: Without asking the hub

  @usableFromInline
  func glance() -> CachedValue.Glance {
    guard let cell = cell.load(ordering: .acquiring) else { return .elsewhere }
    return cell._withUnsafeGuaranteedRef { $0.glance() }
  }

  /// The core's state of the store. From now on the core keeps this handle up to date.
  @usableFromInline
  func ask() -> (state: StoreState, epoch: Epoch)? {
    let name = self.name
    let isKnown = cell.load(ordering: .acquiring) != nil
    let (entered, known) = hub.driver.withCore { core, _ in
      (isKnown ? nil : core.enterCached(name), core.cached(name))
    }
    if let entered { keep(entered) }
    return known
  }

  private func keep(_ entered: CachedValue) {
    let owned = Unmanaged.passRetained(entered)
    let (isFirst, _) = cell.compareExchange(
      expected: nil, desired: owned, ordering: .acquiringAndReleasing)
    if isFirst { return }
    // Another thread has stored the same one first.
    owned.release()
    hub.driver.withCore { [name] core, _ in core.leaveCached(name) }
  }

  var freshness: Freshness {
    hub.driver.withCore { core, _ in
      // Under the core's lock, so that it is counted once.
      if !followsProviders.exchange(true, ordering: .acquiringAndReleasing) { core.followProviders() }
      return core.freshness(of: name)
    }
  }

  // MARK: Requests

  /// Asks the hub for the value.
  @usableFromInline
  func get() throws(HubError) -> SentRequest { hub.send(.get(try reference)) }

  @usableFromInline
  func write(_ operation: WriteOperation) -> SentRequest { hub.send(.write(operation)) }
}
