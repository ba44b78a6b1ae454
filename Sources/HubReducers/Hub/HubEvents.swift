// Owns the reading of one store by an effect: it announces that it waits for another process, and tracks whether there is a value.

internal import HubCore

/// A reader of one store, registered from its creation on. For one task at a time.
struct HubEvents<Value: Sendable> {
  /// The state of the store, according to the events so far.
  enum Presence {
    case value(Value, Bookmark)
    case absent(Bookmark)
    case unknown
  }

  private var iterator: ValueEventSequence<Value>.Iterator
  /// The work that a test store reports while waiting; `nil`: the hub is in this process, so nothing arrives by itself.
  private let awaited: String?
  private let absence: HubAbsence
  private var isAnswered = false
  private var isTold = false

  /// - Parameter tellsFreshness: the events report freshness.
  init(
    _ value: SharedValue<Value>, _ events: ValueEventSequence<Value>? = nil, tellsFreshness: Bool = false
  ) {
    var events = events ?? value.events
    events.tellsFreshness = tellsFreshness
    iterator = events.makeAsyncIterator()
    awaited = value.hub.isOutside ? "the hub's store \"\(value.name)\"" : nil
    absence = HubAbsence(of: value.hub, name: value.name)
  }

  /// The next event; `nil` when the task is cancelled.
  /// - Throws: `undecodable`, after which more events may follow; any other error is final.
  mutating func next() async throws(HubError) -> ValueEvent<Value>? {
    guard let awaited else { return try await iterator.next() }
    let event = try await withExternalWork(awaited) { () async throws(HubError) in try await iterator.next() }
    if !isAnswered { absence.end() }
    isAnswered = true
    return event
  }

  /// The current state once the hub has sent it, then again after each change.
  /// - Throws: the same as ``next()``.
  mutating func nextPresence() async throws(HubError) -> Presence? {
    do throws(HubError) {
      while let event = try await next() {
        if let presence = presence(after: event) { return presence }
      }
      return nil
    } catch {
      isTold = true
      throw error
    }
  }

  private mutating func presence(after event: ValueEvent<Value>) -> Presence? {
    let wasTold = isTold
    isTold = event.kind != .reset && (![.resumed, .freshness].contains(event.kind) || wasTold)
    switch event.kind {
    case .initial, .changed: return event.value.map { .value($0, event.bookmark) }
    case .removed: return .absent(event.bookmark)
    // The hub has sent everything, and there is no value.
    case .synced: return wasTold ? nil : .absent(event.bookmark)
    case .reset: return .unknown
    case .resumed, .freshness: return nil
    }
  }
}

extension Hub {
  /// Whether the hub is in another process, outside a test's control.
  var isOutside: Bool { !isInProcess }
}

extension ValueEvent {
  var bookmark: Bookmark { Bookmark(epoch: epoch, revision: revision) }
}
