// Owns what a subscription follows, and how it is read from its beginning to its end.
// It decides neither when it is read nor what becomes of an element.

/// What is followed: opened anew, with what the state says at that moment, each time the subscription starts.
struct Source<Input, Action, Element: Sendable> {
  /// The effect that reads it until it ends, throws or is cancelled.
  let effect: (Input, Handling<Action, Element>) -> Effect<Action>
}

extension Source {
  /// The sequence that a function makes.
  init<Elements: AsyncSequence & SendableMetatype>(
    _ make: @escaping @Sendable () async throws -> Elements
  ) where Elements.Element == Element {
    self.init({ (_: Void) in try await make() }, using: { _ in })
  }

  /// The sequence that a function makes of an argument.
  init<Argument: Sendable, Elements: AsyncSequence & SendableMetatype>(
    _ make: @escaping @Sendable (Argument) async throws -> Elements,
    using argument: @escaping (Input) -> Argument
  ) where Elements.Element == Element {
    effect = { input, handling in
      let argument = argument(input)
      return handling.effect { send in
        let elements = try await make(argument)
        await handling.tell(.connected, send)
        for try await element in elements {
          try Task.checkCancellation()
          try await handling.deliver(send, element)
        }
      }
    }
  }

  /// A store of the hub.
  init(_ value: SharedValue<Element>, _ policy: StreamPolicy) {
    effect = { _, handling in handling.effect(following: value, policy) }
  }

  /// The store of the hub that an argument names.
  init<Argument>(
    _ value: @escaping (Argument) -> SharedValue<Element>, _ policy: StreamPolicy,
    using argument: @escaping (Input) -> Argument
  ) {
    effect = { input, handling in handling.effect(following: value(argument(input)), policy) }
  }
}

extension Handling {
  /// Which of a store's events are elements, and which tell about the subscription itself.
  fileprivate func effect(following value: SharedValue<Element>, _ policy: StreamPolicy) -> Effect<Action> {
    effect(name: "subscription to \(value.name)") { send in
      var events = HubEvents(value, policy, tellsFreshness: isFollowed)
      var isAnnounced = false
      // Told only if it is, or was, something else.
      var freshness = Freshness.live
      while let event = try await next(of: &events, send) {
        try Task.checkCancellation()
        if event.freshness != freshness, event.freshness != .unknown {
          freshness = event.freshness
          await tell(.freshness(freshness), send)
        }
        switch event.kind {
        case .freshness: continue
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
        await passOver(error, send)
      }
    }
  }
}
