// Owns what becomes of a subscription's elements, its errors and its end. It knows neither what is followed nor when.

/// How the elements of a subscription become actions, and who is told about the subscription itself.
struct Handling<Action, Element: Sendable>: Sendable {
  /// Handles one element. The next one is asked for when it returns.
  let deliver: @Sendable @concurrent (Send<Action>, Element) async throws -> Void
  let id: SubscriptionID
  let site: IssueSite
  private let lifecycle: AnyCasePath<Action, SubscriptionEvent>?
  private let responses: SentEffects

  /// Each element is handled by an operation.
  init(
    _ lifecycle: CaseKeyPath<Action, SubscriptionEvent>?, _ responses: SentEffects, _ site: IssueSite,
    response: AnyKeyPath? = nil,
    _ operation: @escaping @Sendable @concurrent (Send<Action>, Element) async throws -> Void
  ) {
    deliver = operation
    id = SubscriptionID(site: site, response: response)
    self.site = site
    self.lifecycle = lifecycle.map { AnyCasePath($0) }
    self.responses = responses
  }

  /// Each element, transformed, is the payload of an action.
  init<Payload>(
    _ response: CaseKeyPath<Action, Payload>, _ lifecycle: CaseKeyPath<Action, SubscriptionEvent>?,
    _ responses: SentEffects, _ site: IssueSite, _ transform: @escaping @Sendable (Element) -> Payload
  ) {
    let path = AnyCasePath(response)
    self.init(lifecycle, responses, site, response: response) { send, element in
      await send(path.embed(transform(element)))
    }
  }

  /// The effect that reads, and then tells how that ended unless it was by cancellation.
  func effect(
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

  /// Somebody wants to know about the subscription itself.
  var isFollowed: Bool { lifecycle != nil }

  func tell(_ event: SubscriptionEvent, _ send: Send<Action>) async {
    guard let lifecycle else { return }
    await send(lifecycle.embed(event))
  }

  /// What cannot be read is left out, and said.
  func passOver(_ error: HubError, _ send: Send<Action>) async {
    if lifecycle == nil { site.report("A subscription passed over a value: \(error)") }
    await tell(.failed(error), send)
  }
}

extension Send {
  /// The same, with every action's effects attached or detached alike.
  fileprivate func sending(_ effects: SentEffects) -> Send {
    Send { action, _ in await self(action, effects: effects) }
  }
}

extension IssueSite {
  init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
    self.init(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
