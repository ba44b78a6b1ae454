// How fresh values are: it follows the stores that hold the providers' states, and notifies streams of changes.

internal import HubCore

/// The core's state of the providers, while a stream uses it.
struct ProviderWatch {
  static let key = WatchKey([ClaimStatus.pattern])

  /// Streams and handles that use it.
  fileprivate(set) var users = 0
  fileprivate(set) var subscription: Subscription?
  fileprivate(set) var claims = ClaimStatuses()
  /// The streams that get it.
  fileprivate(set) var streams: [ObjectIdentifier: EventStream] = [:]
}

extension ClientCore {
  /// What is known about a store's value.
  func freshness(of name: String) -> Freshness {
    if case .unreachable(let since, let error) = status { return .unreachable(since: since, error) }
    guard let watch = literals[name], watch.isCurrent, let providers = providers.subscription,
      providers.isCurrent
    else { return .unknown }
    if let claim = self.providers.claims.claim(of: name), claim.state != .live { return .stale(claim) }
    return .live
  }

  // MARK: Users

  /// Adds a user: providers are followed. Their watch is opened before those whose freshness it determines.
  mutating func followProviders() {
    providers.users += 1
    if providers.subscription != nil || isClosed { return }
    let subscription = subscription(for: ProviderWatch.key, wantsEvery: false)
    subscription.isKept = true
    for event in subscription.view.introduction() { providers.claims.take(event) }
    providers.subscription = subscription
  }

  mutating func leaveProviders(_ effects: inout Effects) {
    providers.users -= 1
    guard providers.users == 0, let subscription = providers.subscription else { return }
    subscription.isKept = false
    forgetProviders()
    endIfUnused(subscription, &effects)
  }

  /// The stream gets freshness from now on.
  mutating func tellFreshness(to stream: EventStream, _ effects: inout Effects) {
    providers.streams[ObjectIdentifier(stream)] = stream
    turn(stream, &effects)
  }

  mutating func stopTelling(_ stream: EventStream, _ effects: inout Effects) {
    if providers.streams.removeValue(forKey: ObjectIdentifier(stream)) != nil { leaveProviders(&effects) }
  }

  /// Forgets the watch, which ended with all others or was refused: the next user tries again.
  mutating func forgetProviders() { (providers.subscription, providers.claims) = (nil, ClaimStatuses()) }

  // MARK: What changes

  /// An event of the watch of providers.
  mutating func seeProvider(_ event: StoreEvent, _ effects: inout Effects) {
    if providers.claims.take(event) { tellFreshness(&effects) }
  }

  /// Recomputes freshness after a change of what it depends on.
  mutating func tellFreshness(_ effects: inout Effects) {
    for stream in providers.streams.values { turn(stream, &effects) }
  }

  private func turn(_ stream: EventStream, _ effects: inout Effects) {
    guard let name = stream.key.name else { return }
    effects.wake(stream.turn(freshness(of: name)))
  }
}
