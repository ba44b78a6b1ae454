// One typed store that a program provides, with a closure that decides on writes.

public import HubCore
internal import Synchronization

/// A store that this program provides.
///
///     let brightness = try hub.provide("display.brightness", of: Int.self, initial: try backlight.read())
///     try await brightness.decide { value, _ in
///       guard await lid.isOpen else { throw Refusal("the lid is closed") }
///       return try await backlight.write(value)      // what it became: 97 instead of 100
///     }
///
/// Meanwhile another task can publish values that change by themselves: `try await brightness.publish(level)`.
public final class HubProvider<Value: StoreValue>: Sendable {
  private let claim: HubClaim
  private let latest: LatestValue<Value>
  /// The store, through the claim's own connection.
  private let store: SharedValue<Value>

  init(_ claim: HubClaim, _ latest: LatestValue<Value>, _ store: SharedValue<Value>) {
    (self.claim, self.latest, self.store) = (claim, latest, store)
  }

  /// Decides on every write to the store, one after the other, until the task is cancelled. After that, or after an
  /// error, the hub refuses writes with `unavailable` until `decide` is called again. The write being decided fails
  /// with `unanswered`, because the body may have acted.
  ///
  /// - Parameter body: runs in the caller's isolation. It gets the value and the write, and returns the resulting
  ///   value. The writer gets a thrown `Refusal` or `HubError` with its message, and any other error as text. An error
  ///   that leaves the outcome open (`timeout`, `connectionLost`, `outcomeUnknown`, `durabilityUnknown`, a
  ///   `CancellationError`) becomes `unanswered`.
  /// - Throws: the same as `HubClaim.writes`.
  public func decide(
    _ body: (_ value: Value, _ writer: Hub.Peer) async throws -> Value
  ) async throws {
    for try await write in claim.writes {
      guard write.operations.count == 1, let operation = write.operations.first, operation.takesOtherValue
      else {
        try await write.refuse("\(store.name) is provided as a single value: it can only be set")
        continue
      }
      guard let proposed = operation.value.flatMap({ Value(storeValue: $0) }) else {
        try await write.refuse("the value is not of type \(Value.self)", code: .typeMismatch)
        continue
      }
      do {
        let value = try await body(proposed, write.writer)
        latest.set(value)
        try await write.accept([try claim.encoded(value, for: store.name)])
      } catch {
        // Requests in the body fail when the task is cancelled, which is not a decision.
        if !(error is Refusal), Task.isCancelled { return }
        _ = try await write.decide(Decision(refusing: error))
      }
    }
  }

  /// Publishes a value that has changed by itself.
  ///
  /// - Throws: what every write throws. Without a connection the value is remembered, and published with the next one.
  public func publish(_ value: Value) async throws(HubError) {
    latest.set(value)
    try await store.set(value)
  }

  /// As `HubClaim.watched`.
  public var watched: ValueSequence<Bool> { claim.watched }

  /// As `HubClaim.status`.
  public var status: ValueSequence<ClaimStatus> { claim.status }

  /// As `HubClaim.suspend`.
  public func suspend(because reason: String) async throws(HubError) {
    try await claim.suspend(because: reason)
  }

  /// As `HubClaim.resume`.
  public func resume() async throws(HubError) { try await claim.resume() }

  /// As `HubClaim.release`.
  public func release() async throws(HubError) { try await claim.release() }
}

extension Hub {
  /// Provides one store: its `decide` decides on every write to it.
  ///
  /// - Parameters:
  ///   - initial: the value to publish first, and again with every new connection, until it is replaced.
  ///   - timeout: the longest time for a decision.
  ///   - ifClaimed: what happens while another connection has the claim.
  ///   - onRead: computes the value each time that other clients read it. `HubClaim` documents when it runs and what happens to an error; nil: they
  ///     get the value that was published last.
  /// - Throws: `invalidName`.
  public func provide<Value: StoreValue>(
    _ name: String, of type: Value.Type = Value.self, initial: Value, timeout: Duration = .seconds(5),
    description: String = "", ifClaimed: HubClaim.IfClaimed = .fail,
    onRead: (@Sendable () async throws -> Value)? = nil
  ) throws(HubError) -> HubProvider<Value> {
    _ = try StoreName(name)
    let latest = LatestValue(initial)
    var handler: HubClaim.ReadHandler?
    if let onRead {
      handler = { _, hub in
        latest.set(try await onRead())
        try await hub.value(name, of: Value.self).set(latest.value)
      }
    }
    let claim = try claim(
      name, timeout: timeout, description: description, ifClaimed: ifClaimed,
      publish: { hub in try await hub.value(name, of: Value.self).set(latest.value) }, onRead: handler)
    return HubProvider(claim, latest, claim.hub.value(name, of: Value.self))
  }
}

extension HubClaim {
  fileprivate func encoded<Value: StoreValue>(_ value: Value, for name: String) throws -> HubValue {
    guard let encoded = value.storeValue else {
      throw Refusal("the provider decided on \(value), which a store cannot hold")
    }
    return encoded
  }
}

final class LatestValue<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value { state.withLock { $0 } }

  func set(_ value: Value) { state.withLock { $0 = value } }
}
