// Watches: one on the wire for any number of streams with the same patterns, opened again on every connection.

internal import HubCore
internal import HubTransport

/// The watches that a store's events go to. It is a class, because it is looked up for every event and passed on as
/// one reference.
final class Route {
  let name: String
  let subscriptions: [Subscription]
  let generation: UInt64

  init(name: String, subscriptions: [Subscription], generation: UInt64) {
    self.name = name
    self.subscriptions = subscriptions
    self.generation = generation
  }
}

extension ClientCore {
  // MARK: Streams

  /// Registers a stream and gives it the known values, in one step.
  mutating func open(_ stream: EventStream, _ effects: inout Effects) {
    if let failure {
      effects.wake(stream.fail(failure))
      return
    }
    if stream.content == .eventsAndFreshness {
      followProviders()
      tellFreshness(to: stream, &effects)
    }
    guard let subscription = subscriptions[stream.key] else {
      if let objection = objection(to: stream.key) {
        effects.wake(stream.fail(objection))
        return
      }
      subscription(for: stream.key, wantsEvery: wantsEvery(stream)).add(stream)
      return
    }
    subscription.add(stream)
    let view = subscription.view
    for event in view.introduction() { effects.wake(stream.push(SharedEvent(event))) }
    let whole = view.whole(isSingle: stream.key.isSingle, synced: subscription.isOpen ? synced : 0)
    if let whole, let epoch = view.epoch {
      effects.wake(stream.push(SharedEvent(StoreEvent(.synced, revision: whole, epoch: epoch))))
    } else {
      subscription.owesSync = true
    }
    let wantsMore = wantsEvery(stream) && !subscription.wantsEvery
    subscription.wantsEvery = subscription.wantsEvery || wantsEvery(stream)
    // Reopening the watch delivers at least a `synced`.
    if isSending, wantsMore || view.isSynced && whole == nil { reopen(subscription) }
  }

  /// Whether the hub is asked for every change. With a filter it is not, because what the filter lets through is sent
  /// anyway.
  private func wantsEvery(_ stream: EventStream) -> Bool { stream.policy.wantsEvery && filter == nil }

  /// Ends a stream at once. The last stream of a watch also ends the watch in the hub.
  mutating func close(_ stream: EventStream, _ effects: inout Effects) {
    effects.wake(stream.close())
    detach(stream, &effects)
  }

  /// Ends a stream with an error, after its queued events.
  mutating func end(_ stream: EventStream, _ error: HubError, _ effects: inout Effects) {
    effects.wake(stream.fail(error))
    detach(stream, &effects)
  }

  private mutating func detach(_ stream: EventStream, _ effects: inout Effects) {
    streamTimeouts.remove(stream)
    stopTelling(stream, &effects)
    guard let subscription = subscriptions[stream.key], subscription.remove(stream) else { return }
    endIfUnused(subscription, &effects)
  }

  /// Ends a watch without followers, also in the hub.
  mutating func endIfUnused(_ subscription: Subscription, _ effects: inout Effects) {
    guard subscription.streams.isEmpty, !subscription.isKept, subscriptions[subscription.key] === subscription
    else { return }
    if let watch = subscription.watch { unwatch(watch) }
    delist(subscription, &effects)
  }

  /// The store with that name as last seen by an open watch.
  func cached(_ name: String) -> (state: StoreState, epoch: Epoch)? {
    guard let view = literals[name]?.view, let state = view.state(of: name), let epoch = view.epoch else {
      return nil
    }
    return (state, epoch)
  }

  /// Shows the store's value to another handle, from now on.
  mutating func enterCached(_ name: String) -> CachedValue {
    let cell = cachedValues.enter(name)
    if let subscription = literals[name], subscription.cached == nil { subscription.cached = cell }
    return cell
  }

  /// Removes a handle that is gone.
  mutating func leaveCached(_ name: String) {
    cachedValues.leave(name)
    if cachedValues[name] == nil { literals[name]?.leave() }
  }

  // MARK: The list of watches

  /// Why those patterns do not fit in a request, or in one that this hub accepts: such a request would end the
  /// connection for everything else.
  private func objection(to key: WatchKey) -> HubError? {
    if key.isSingle { return nil }
    if let objection = Request.watch(key.patterns).objection { return objection }
    let length = key.patterns.reduce(Frame.headerLength + WatchCommand.longestHead) {
      $0 + 1 + $1.text.utf8.count
    }
    return epoch == nil || length <= maximumFrameLength
      ? nil : .tooLong(length, maximumFrameLength, store: nil)
  }

  /// The watch of those patterns; opens one if there is none.
  mutating func subscription(for key: WatchKey, wantsEvery: Bool) -> Subscription {
    if let known = subscriptions[key] { return known }
    let subscription = Subscription(key: key, wantsEvery: wantsEvery)
    enlist(subscription)
    if isSending { openWatch(of: subscription) }
    return subscription
  }

  private mutating func enlist(_ subscription: Subscription) {
    subscriptions[subscription.key] = subscription
    if let name = subscription.key.name {
      literals[name] = subscription
      subscription.cached = cachedValues[name]
    } else {
      patterned.append(subscription)
    }
    generation += 1
  }

  private mutating func delist(_ subscription: Subscription, _ effects: inout Effects) {
    subscriptions[subscription.key] = nil
    if let name = subscription.key.name {
      literals[name] = nil
    } else {
      patterned.removeAll { $0 === subscription }
    }
    unsynced.removeAll { $0 === subscription }
    if lastConfirmed === subscription { lastConfirmed = nil }
    subscription.leave()
    generation += 1
    for id in subscription.view.storeIDs { _ = route(id) }
    held.drop(subscription, &effects)
  }

  /// Forgets all watches, which have ended.
  mutating func forgetWatches() {
    for subscription in subscriptions.values { subscription.leave() }
    subscriptions.removeAll()
    literals.removeAll()
    patterned.removeAll()
    watches.removeAll()
    routes.removeAll()
    unsynced.removeAll()
    lastConfirmed = nil
    forgetProviders()
  }

  func subscriptions(to name: String) -> [Subscription] {
    var found = literals[name].map { [$0] } ?? []
    if patterned.isEmpty { return found }
    var name = name
    name.withUTF8 { bytes in
      let view = ByteView(UnsafeRawBufferPointer(bytes))
      for subscription in patterned where subscription.key.matches(view) { found.append(subscription) }
    }
    return found
  }

  /// The route of a store's events, if an event has named the store before. A store without watches is forgotten.
  mutating func route(_ id: StoreID) -> Route? {
    guard let route = routes[id.raw] else { return nil }
    return route.generation == generation ? route : makeRoute(id, route.name)
  }

  /// The route of a store's events, when an event names the store.
  mutating func route(_ id: StoreID, _ name: String) -> Route? {
    if let route = routes[id.raw], route.generation == generation { return route }
    return makeRoute(id, name)
  }

  private mutating func makeRoute(_ id: StoreID, _ name: String) -> Route? {
    let subscriptions = subscriptions(to: name)
    let route = Route(name: name, subscriptions: subscriptions, generation: generation)
    routes[id.raw] = subscriptions.isEmpty ? nil : route
    return subscriptions.isEmpty ? nil : route
  }

  // MARK: On the wire

  /// Opens every watch on a new connection: those that resume first, the oldest bookmark at the front, so that the hub
  /// walks through the changes since then once for all of them. The watch of providers is the first of all: freshness
  /// is known before values are shown.
  mutating func openWatches() {
    let revisions = subscriptions.values.map { ($0, $0.view.bookmark?.revision) }
    let ordered = revisions.sorted { a, b in
      if a.0.isKept || b.0.isKept { return a.0.isKept }
      guard let first = a.1 else { return false }
      guard let second = b.1 else { return true }
      return first < second
    }
    for (subscription, _) in ordered { openWatch(of: subscription) }
  }

  private mutating func openWatch(of subscription: Subscription) {
    let id = nextID()
    subscription.watch = id
    watches[id] = subscription
    let request = Request.watch(
      subscription.key.patterns, policy: subscription.wantsEvery ? .every : .latest,
      bookmark: subscription.view.bookmark, filter: filter)
    request.encode(into: &output, id: id)
  }

  /// Opens the watch again on the same connection, from its bookmark, and closes the old one.
  private mutating func reopen(_ subscription: Subscription) {
    let old = subscription.watch
    if subscription.isOpen { subscription.reopening = .asked }
    openWatch(of: subscription)
    if let old { unwatch(old) }
  }

  private mutating func unwatch(_ watch: UInt32) {
    watches[watch] = nil
    Request.unwatch(watch).encode(into: &output, id: nextID())
  }

  /// Handles the answer to a watch.
  mutating func confirm(
    _ subscription: Subscription, _ reply: Reply, _ id: UInt32, _ effects: inout Effects
  ) throws(HubError) {
    switch reply {
    case .watching:
      guard let epoch else { throw HubError(.protocolViolation, "a watch was confirmed before hello") }
      lastConfirmed = subscription
      subscription.isOpen = true
      streamTimeouts.answer(subscription.streams)
      list(subscription)
      if subscription.reopening != .no {
        subscription.reopening = .confirmed
        subscription.reopen()
        return
      }
      if let reset = subscription.open(epoch: epoch) {
        publish(reset, of: subscription, &effects)
        held.drop(subscription, &effects)
      }
    case .error(let error):
      watches[id] = nil
      subscription.end(error, &effects)
      delist(subscription, &effects)
      if subscription.isKept { forgetProviders() }
    default: throw HubError(.protocolViolation, "the hub sent an unexpected reply to a watch")
    }
  }

  /// The connection is gone.
  mutating func loseWatches(_ now: Deadline) {
    watches.removeAll()
    unsynced.removeAll()
    lastConfirmed = nil
    streamTimeouts.lose(now)
    for subscription in subscriptions.values {
      // This connection carries no events of a watch that the hub has not confirmed on it.
      if subscription.isOpen { subscription.advance(to: complete) }
      subscription.watch = nil
      subscription.isOpen = false
      subscription.isListed = false
      subscription.reopening = .no
    }
  }

  /// Lists a watch to which the next `synced` is new.
  mutating func list(_ subscription: Subscription) {
    if subscription.isListed { return }
    subscription.isListed = true
    unsynced.append(subscription)
  }
}
