// Owns a store's values as an `AsyncStream`, for the endpoint of a dependency.

extension SharedValue {
  /// The current value, or `initial` while there is none, then each newer one. It suits the endpoint of a dependency.
  ///
  /// ```swift
  /// NumberStore(value: { number.stream(or: 0) }, updateValue: { _ = try? await number.set($0) })
  /// ```
  /// It begins once the hub answers, and a slow reader skips to the newest value. It survives the hub's restarts: a
  /// value lost in a restart stays as it was, because nothing replaced it. When the store is removed, `initial`
  /// follows again. The stream throws nothing, so a store that cannot be followed is reported as an issue: a value of
  /// another type is skipped, and any other error ends the stream. Read a stream from one task only.
  public func stream(or initial: Value) -> AsyncStream<Value> {
    let reading = StreamReading(self, initial)
    return AsyncStream { await reading.next() }
  }
}

/// One stream of a store, pulled by its reader.
private actor StreamReading<Value: Sendable> {
  private let name: String
  private let initial: Value
  private var events: HubEvents<Value>
  private var hasBegun = false

  init(_ value: SharedValue<Value>, _ initial: Value) {
    name = value.name
    self.initial = initial
    events = HubEvents(value)
  }

  func next() async -> Value? {
    var events = events
    defer { self.events = events }
    var isLost = false
    while true {
      do throws(HubError) {
        switch try await events.nextPresence() {
        case .value(let value, _):
          hasBegun = true
          return value
        case .absent where hasBegun && isLost: isLost = false
        case .absent:
          hasBegun = true
          return initial
        case .unknown: isLost = true
        case nil: return nil
        }
      } catch {
        reportIssueOfCaller("The store \"\(name)\" cannot be followed: \(error)")
        guard error.code == .undecodable else { return nil }
      }
    }
  }
}
