// Owns the common parts of subscriptions: handling of elements, the end and errors, and their identity.

/// How an element becomes actions.
struct Handling<Action, Element: Sendable> {
  /// Handles one element. The next one is asked for when it returns.
  let deliver: @Sendable @concurrent (Send<Action>, Element) async throws -> Void
  /// The case that carries an element.
  let response: AnyKeyPath?

  init(_ operation: @escaping @Sendable @concurrent (Send<Action>, Element) async throws -> Void) {
    deliver = operation
    response = nil
  }

  init(_ response: CaseKeyPath<Action, Element>) { self.init(response) { $0 } }

  init<Payload>(
    _ response: CaseKeyPath<Action, Payload>, _ transform: @escaping @Sendable (Element) -> Payload
  ) {
    let path = AnyCasePath(response)
    self.init(response: response) { path.embed(transform($0)) }
  }

  init(response: AnyKeyPath, _ action: @escaping @Sendable (Element) -> Action) {
    deliver = { send, element in await send(action(element)) }
    self.response = response
  }
}

/// The targets of a subscription's actions, events and errors.
struct SubscriptionOutlet<Action>: Sendable {
  let site: IssueSite
  var responses: SentEffects
  var lifecycle: AnyCasePath<Action, SubscriptionEvent>?

  /// The effect that follows a source, then reports how it ended, unless it was cancelled.
  func effect<Source: SubscriptionSource>(
    following source: Source, _ handling: Handling<Action, Source.Element>
  ) -> Effect<Action> {
    let deliver = handling.deliver
    return .run(name: source.label, site: site) { send in
      let send = send.sending(responses)
      let subscriber = Subscriber<Source.Element>(wantsEvents: lifecycle != nil) {
        try await deliver(send, $0)
      } events: {
        await tell($0, send)
      }
      do {
        try await source.follow(subscriber)
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

  private func tell(_ event: SubscriptionEvent, _ send: Send<Action>) async {
    if let lifecycle { return await send(lifecycle.embed(event)) }
    if case .failed(let error) = event { site.report("A subscription skipped a value: \(error)") }
  }
}

extension Send {
  /// The same, with every action's effects attached or detached alike.
  fileprivate func sending(_ effects: SentEffects) -> Send {
    Send { action, _ in await self(action, effects: effects) }
  }
}

/// A subscription is identified by its line and by what it connects, within its scope. One line can make several, in a
/// loop or in a custom function: the engine numbers similar ones (``SubscriptionNumbers``).
struct SubscriptionID: Hashable, @unchecked Sendable {
  // Key paths are immutable, and case key paths capture nothing but further key paths.
  private let trigger: AnyKeyPath?
  private let response: AnyKeyPath?
  var stop: AnyKeyPath?
  private let fileID: String
  private let line: UInt
  private let column: UInt

  init(_ site: IssueSite, trigger: AnyKeyPath? = nil, response: AnyKeyPath?) {
    self.trigger = trigger
    self.response = response
    fileID = "\(site.fileID)"
    line = site.line
    column = site.column
  }
}

/// Numbers similar subscriptions in one scope, in the order in which an action's effects, or what a state asks for,
/// name them. Similar ones have the same trigger, so each always gets the same number.
final class SubscriptionNumbers {
  private struct Key: Hashable {
    var path: ScopePath
    var id: SubscriptionID
    var isStop: Bool
  }

  private var counts: [Key: Int] = [:]

  func next(_ id: SubscriptionID, at path: ScopePath, isStop: Bool = false) -> NumberedSubscription {
    let key = Key(path: path, id: id, isStop: isStop)
    defer { counts[key, default: 0] += 1 }
    return NumberedSubscription(id: id, number: counts[key, default: 0])
  }
}

/// One of the subscriptions that are alike.
struct NumberedSubscription: Hashable, Sendable {
  var id: SubscriptionID
  var number: Int
}
