// Owns the events of a subscription besides its elements.

/// A change in a subscription's life, sent to the case given as `lifecycle:`.
@CasePathable
public enum SubscriptionEvent: Sendable {
  /// The sequence exists and will be read. For a store of the hub, the hub has answered; it is sent again whenever the
  /// connection is restored.
  case connected

  /// This many elements before the next one were skipped, because the reader was slow or the connection was lost. Only
  /// stores of the hub report it.
  case skipped(Int)

  /// The freshness has changed: the store's provider is away, the hub cannot be reached, or the values are live again.
  /// It is not reported if the values are live from the beginning. Only stores of the hub report it.
  case freshness(Freshness)

  /// The sequence ended by itself.
  case ended

  /// The sequence, or the function that makes it, threw. That ends the subscription, unless a store of the hub
  /// temporarily holds a value of another type (`undecodable`).
  case failed(any Error)
}

extension SubscriptionEvent: Equatable {
  /// Errors are equal if their descriptions are.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.connected, .connected), (.ended, .ended): true
    case (.skipped(let first), .skipped(let second)): first == second
    case (.freshness(let first), .freshness(let second)): first == second
    case (.failed(let first), .failed(let second)):
      String(reflecting: first) == String(reflecting: second)
    default: false
    }
  }
}

/// What a second trigger does while the first one's subscription is still running.
public enum Retrigger: Sendable, Hashable {
  /// Ends the running subscription and starts it again: every element arrives once. This is the default.
  case restart

  /// Does nothing.
  case ignore

  /// Starts another subscription beside it: every element arrives once for each of them.
  case addAnother

  var overlap: EffectOverlap {
    switch self {
    case .restart: .cancelOld
    case .ignore: .dropNew
    case .addAnother: .both
    }
  }
}
