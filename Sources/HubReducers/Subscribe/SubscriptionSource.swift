// Owns the protocol of sources, and their subscribers. It does not decide when a source is followed, or what happens to
// an element.

/// Something that a subscription can follow: a store of the hub, a sequence, or a source of your own.
///
/// ```swift
/// .subscribe(to: hub.value("audio.volume", of: Double.self), while: \.isOpen, with: \.volumeChanged)
/// .subscribe(to: SequenceSource(location.updates), while: \.isTracking, with: \.moved)
/// ```
public protocol SubscriptionSource<Element>: Sendable {
  associatedtype Element: Sendable

  /// The subscription's name in tools and tests; by default none.
  var label: String? { get }

  /// Follows the source from its beginning, each time a subscription starts, and passes every element to the
  /// subscriber, in order. The subscription ends when this returns, fails when this throws, and is cancelled with its
  /// task.
  func follow(_ subscriber: Subscriber<Element>) async throws
}

extension SubscriptionSource {
  public var label: String? { nil }

  /// The same source, with every element transformed.
  public func map<NewElement: Sendable>(
    _ transform: @escaping @Sendable (Element) -> NewElement
  ) -> MappedSource<Self, NewElement> {
    MappedSource(base: self, transform: transform)
  }
}

/// The receiver of a source's elements: one running subscription.
public struct Subscriber<Element: Sendable>: Sendable {
  /// Whether an action receives the subscription's own events.
  public let wantsEvents: Bool

  private let deliver: @Sendable (Element) async throws -> Void
  private let tell: @Sendable (SubscriptionEvent) async -> Void

  /// Makes a subscriber that passes its elements to a function, for following a source in a test.
  public init(
    wantsEvents: Bool = false, _ deliver: @escaping @Sendable (Element) async throws -> Void,
    events tell: @escaping @Sendable (SubscriptionEvent) async -> Void = { _ in }
  ) {
    self.wantsEvents = wantsEvents
    self.deliver = deliver
    self.tell = tell
  }

  /// Handles an element. Pass the next one after it returns.
  /// - Throws: `CancellationError`; what an operation throws. Either ends the subscription.
  public func receive(_ element: Element) async throws {
    try Task.checkCancellation()
    try await deliver(element)
  }

  /// Reports an event of the subscription itself. The end, and an error that `follow` throws, are reported
  /// automatically. A failure without an action to carry it is reported as an issue.
  public func report(_ event: SubscriptionEvent) async { await tell(event) }
}

/// The source behind ``SubscriptionSource/map(_:)``.
public struct MappedSource<Base: SubscriptionSource, Element: Sendable>: SubscriptionSource {
  let base: Base
  let transform: @Sendable (Base.Element) -> Element

  public var label: String? { base.label }

  public func follow(_ subscriber: Subscriber<Element>) async throws {
    try await base.follow(
      Subscriber<Base.Element>(wantsEvents: subscriber.wantsEvents) { [transform] in
        try await subscriber.receive(transform($0))
      } events: {
        await subscriber.report($0)
      })
  }
}

/// The sequence that a function makes, as a source: `SequenceSource(location.updates)`.
public struct SequenceSource<Elements: AsyncSequence & SendableMetatype>: SubscriptionSource
where Elements.Element: Sendable {
  private let make: @Sendable () async throws -> Elements

  /// - Parameter make: Makes the sequence, each time a subscription starts, with the reducer's dependencies.
  public init(_ make: @escaping @Sendable () async throws -> Elements) { self.make = make }

  public func follow(_ subscriber: Subscriber<Elements.Element>) async throws {
    let elements = try await make()
    await subscriber.report(.connected)
    for try await element in elements { try await subscriber.receive(element) }
  }
}
