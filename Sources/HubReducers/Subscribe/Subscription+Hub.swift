// Owns a subscription's run on a store of the hub: which of the store's events become elements and which tell about
// the subscription itself.

extension Subscription {
  /// Follows a store until the effect is cancelled or waiting does not help any more.
  func effect(following value: SharedValue<Element>, _ policy: StreamPolicy) -> Effect<Action> {
    run(name: "subscription to \(value.name)") { send in
      var events = HubEvents(value, policy)
      var isAnnounced = false
      while let event = try await next(of: &events, send) {
        try Task.checkCancellation()
        switch event.kind {
        case .resumed, .reset: isAnnounced = false
        case .initial, .changed, .removed, .synced:
          if !isAnnounced { await tell(.connected, send) }
          isAnnounced = true
        }
        if let skipped = event.skipped, skipped > 0 { await tell(.skipped(Int(clamping: skipped)), send) }
        if let element = event.value { try await deliver(send, element) }
      }
    }
  }

  /// The next event that can be read. A value of another type is told and passed over: the next may be right again.
  private func next(
    of events: inout HubEvents<Element>, _ send: Send<Action>
  ) async throws(HubError) -> ValueEvent<Element>? {
    while true {
      do throws(HubError) {
        return try await events.next()
      } catch {
        guard error.code == .undecodable else { throw error }
        if lifecycle == nil { site.report("A subscription passed over a value: \(error)") }
        await tell(.failed(error), send)
      }
    }
  }
}
