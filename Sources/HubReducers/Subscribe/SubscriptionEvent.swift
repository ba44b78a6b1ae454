// Owns what a subscription can tell about itself besides its elements.

/// A turn in a subscription's life, sent to the case given as `lifecycle:`.
@CasePathable
public enum SubscriptionEvent: Sendable {
  /// The sequence is there and will be read from now on. Of a store of the hub: the hub has answered, and again each
  /// time after the connection was lost and is back.
  case connected

  /// The next element comes after this many that were left out, because the reader was slower or the connection was
  /// lost. Only stores of the hub tell.
  case skipped(Int)

  /// The values are worth something else from now on: the store's provider is away, the hub cannot be reached, or all is well again
  /// (`live`). What is live from the beginning is not told. Only stores of the hub tell.
  case freshness(Freshness)

  /// The sequence came to its end by itself.
  case ended

  /// The sequence, or what makes it, threw. That is the end, unless a store of the hub holds, for now, a value of
  /// another type (`undecodable`).
  case failed(any Error)
}

extension SubscriptionEvent: Equatable {
  /// Errors are equal if they describe themselves alike.
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

/// What a second trigger does while the subscription of the first still runs.
public enum Retrigger: Sendable, Hashable {
  /// Ends the running subscription and starts again: every element arrives once. The default.
  case restart

  /// Does nothing.
  case ignore

  /// Starts another one beside it: every element arrives once for each.
  case addAnother

  var overlap: EffectOverlap {
    switch self {
    case .restart: .cancelOld
    case .ignore: .dropNew
    case .addAnother: .both
    }
  }
}
