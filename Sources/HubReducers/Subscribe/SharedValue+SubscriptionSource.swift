// Owns subscriptions to a store of the hub: which of its events are elements, and which concern the subscription
// itself.

extension SharedValue: SubscriptionSource {
  public var label: String? { "subscription to \(name)" }

  /// The current value, if there is one, then the newest one after each change, across restarts of the hub.
  public func follow(_ subscriber: Subscriber<Value>) async throws {
    try await with(.latest()).follow(subscriber)
  }

  /// The store as a source with a policy for slow reducers.
  ///
  /// ```swift
  /// .subscribe(to: counter.with(.every()), on: \.task, with: \.newNumberReceived)
  /// ```
  public func with(_ policy: StreamPolicy) -> HubSource<Value> { HubSource(value: self, policy: policy) }
}

/// A store of the hub with a policy for slow reducers.
public struct HubSource<Value: Sendable>: SubscriptionSource {
  let value: SharedValue<Value>
  let policy: StreamPolicy

  public var label: String? { value.label }

  public func follow(_ subscriber: Subscriber<Value>) async throws {
    var events = HubEvents(value, value.events(policy), tellsFreshness: subscriber.wantsEvents)
    var isAnnounced = false
    // Reported only if it differs now, or did before.
    var freshness = Freshness.live
    while let event = try await next(of: &events, subscriber) {
      try Task.checkCancellation()
      if event.freshness != freshness, event.freshness != .unknown {
        freshness = event.freshness
        await subscriber.report(.freshness(freshness))
      }
      switch event.kind {
      case .freshness: continue
      case .resumed, .reset: isAnnounced = false
      case .initial, .changed, .removed, .synced:
        if !isAnnounced { await subscriber.report(.connected) }
        isAnnounced = true
      }
      if let skipped = event.skipped, skipped > 0 {
        await subscriber.report(.skipped(Int(clamping: skipped)))
      }
      if let element = event.value { try await subscriber.receive(element) }
    }
  }

  /// The next event that can be read. A value of another type is reported and skipped: the next one may be readable.
  private func next(
    of events: inout HubEvents<Value>, _ subscriber: Subscriber<Value>
  ) async throws(HubError) -> ValueEvent<Value>? {
    while true {
      do throws(HubError) {
        return try await events.next()
      } catch {
        guard error.code == .undecodable else { throw error }
        await subscriber.report(.failed(error))
      }
    }
  }
}
