// Events of the connection: which watches each concerns, and which held writes it releases.

internal import HubCore
internal import HubTransport

extension ClientCore {
  /// - Throws: the reason to close the connection.
  mutating func receive(_ event: HubEvent, _ effects: inout Effects) throws(HubError) {
    switch event {
    case .change(let state, _, _):
      // A number without a route belongs to a store of a watch that has ended.
      if let route = route(state.id) { deliver(event, state.id, state.revision, route, &effects) }
    case .created(let name, _, let state, _, _, _), .current(let name, let state):
      if let route = route(state.id, name) { deliver(event, state.id, state.revision, route, &effects) }
    case .removed(let name, let removal, _, _):
      if let route = route(removal.id, name) { deliver(event, removal.id, removal.revision, route, &effects) }
      routes[removal.id.raw] = nil
    case .synced(let revision): sync(event, revision, &effects)
    case .resumed:
      guard let subscription = lastConfirmed, subscription.reopening == .no else { return }
      if let news = subscription.apply(event) { publish(news, of: subscription, &effects) }
    case .forget:
      // It applies to everything sent to this connection.
      complete = 0
      synced = 0
      for subscription in subscriptions.values where subscription.isOpen {
        subscription.reopening = .no
        list(subscription)
        if let news = subscription.apply(event) { publish(news, of: subscription, &effects) }
        held.drop(subscription, &effects)
      }
    case .ended(let reason, let message): throw HubError(ended: reason, message)
    case .forward, .withdraw, .ask: receive(forProvider: event, &effects)
    }
  }

  private mutating func deliver(
    _ event: HubEvent, _ id: StoreID, _ revision: Revision, _ route: Route, _ effects: inout Effects
  ) {
    if revision > 0 { complete = max(complete, revision - 1) }
    for subscription in route.subscriptions where subscription.isOpen {
      list(subscription)
      if let news = subscription.apply(event) { publish(news, of: subscription, &effects) }
      if !held.isEmpty { held.see(subscription, id, revision, &effects) }
    }
  }

  /// Hands an event to the streams of its watch.
  @inline(__always)
  mutating func publish(
    _ event: consuming StoreEvent, of subscription: Subscription, _ effects: inout Effects
  ) {
    if subscription.isKept { seeProvider(event, &effects) }
    subscription.publish(event, &effects)
  }

  private mutating func sync(_ event: HubEvent, _ revision: Revision, _ effects: inout Effects) {
    complete = max(complete, revision)
    synced = max(synced, revision)
    // All changes of freshness come before any stream gets an event, because its `synced` carries the freshness of the values.
    let isFirst = unsynced.contains { !$0.view.isSynced }
    var news = unsynced.map { $0.apply(event) }
    if isFirst { tellFreshness(&effects) }
    news.reverse()
    unsynced.removeAll { subscription in
      let news = news.removeLast()
      guard let whole = subscription.view.whole(isSingle: false) else { return false }
      if let news {
        subscription.publish(news, &effects)
      } else if subscription.owesSync, let epoch = subscription.view.epoch {
        subscription.publish(StoreEvent(.synced, revision: whole, epoch: epoch), &effects)
      }
      subscription.owesSync = false
      subscription.isListed = false
      if subscription.reopening == .confirmed { subscription.reopening = .no }
      return true
    }
    if !held.isEmpty { held.sync(revision, &effects) }
  }
}
