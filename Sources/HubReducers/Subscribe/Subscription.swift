// Owns one subscription's run: it makes the sequence, reads it to its end and turns elements into actions.
// It decides neither when it starts nor when it is cancelled. A store of the hub is read by `Subscription+Hub`.

/// How the elements of some sequence become actions.
struct Subscription<Action, Element: Sendable>: Sendable {
  /// Handles one element. The next one is asked for when it returns.
  var deliver: @Sendable @concurrent (Send<Action>, Element) async throws -> Void
  var lifecycle: AnyCasePath<Action, SubscriptionEvent>?
  var responses: SentEffects
  var site: IssueSite

  init(
    _ lifecycle: CaseKeyPath<Action, SubscriptionEvent>?, _ responses: SentEffects, _ site: IssueSite,
    deliver: @escaping @Sendable @concurrent (Send<Action>, Element) async throws -> Void
  ) {
    self.deliver = deliver
    self.lifecycle = lifecycle.map { AnyCasePath($0) }
    self.responses = responses
    self.site = site
  }

  /// Each element, transformed, is the payload of an action.
  init<Value>(
    _ response: CaseKeyPath<Action, Value>, _ lifecycle: CaseKeyPath<Action, SubscriptionEvent>?,
    _ responses: SentEffects, _ site: IssueSite, transform: @escaping @Sendable (Element) -> Value
  ) {
    let response = AnyCasePath(response)
    self.init(lifecycle, responses, site) { send, element in
      await send(response.embed(transform(element)))
    }
  }

  /// Reads a sequence until it ends, throws or the effect is cancelled.
  func effect<Elements: AsyncSequence & SendableMetatype>(
    reading make: @escaping @Sendable @concurrent () async throws -> Elements
  ) -> Effect<Action> where Elements.Element == Element {
    run { send in
      let elements = try await make()
      await tell(.connected, send)
      for try await element in elements {
        try Task.checkCancellation()
        try await deliver(send, element)
      }
    }
  }

  /// The effect that reads, and then tells how that ended unless it was by cancellation.
  func run(
    name: String? = nil, _ read: @escaping @Sendable @concurrent (Send<Action>) async throws -> Void
  ) -> Effect<Action> {
    .run(name: name, site: site) { send in
      let send = send.sending(responses)
      do {
        try await read(send)
        try Task.checkCancellation()
        await tell(.ended, send)
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        guard lifecycle != nil else { throw error }
        await tell(.failed(error), send)
      }
    }
  }

  func tell(_ event: SubscriptionEvent, _ send: Send<Action>) async {
    guard let lifecycle else { return }
    await send(lifecycle.embed(event))
  }
}

extension Send {
  /// The same, with every action's effects attached or detached alike.
  func sending(_ effects: SentEffects) -> Send {
    Send { action, _ in await self(action, effects: effects) }
  }
}
