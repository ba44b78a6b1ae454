// Flags from a hub, evaluated from memory. `Flag` does the evaluation.

import FoundationEssentials
public import HubClient
import HubMirror
public import ServiceLifecycle

/// Feature flags as OpenFeature's providers evaluate them, from the stores under a prefix.
///
///     let flags = try await FeatureFlags(hub: Hub(), prefix: "flags")
///     if flags.value("new-menu", default: false, for: FlagContext(targetingKey: user)) { … }
///     let group = ServiceGroup(services: [hub, flags, server], logger: logger)
///
/// A store that is a boolean, a number or a string is a flag with the same value for everyone; a JSON store is a `Flag` with
/// variants and rules. Evaluating sends no request: this object has the flags once it is created, and follows them as a service.
public final class FeatureFlags: Service {
  /// What happens to the flags.
  public enum Event: Equatable, Sendable {
    /// The flags are the hub's.
    case ready
    /// The hub is away, for this reason: the flags are the last ones.
    case stale(HubError)
    /// These flags are new, changed or gone.
    case changed(Set<String>)
  }

  private let mirror: HubMirror
  private let prefix: String

  /// Waits until the hub has sent all flags. Without a hub the program starts after `timeout`: then every flag has the program's
  /// default until the hub is there.
  ///
  /// - Parameters:
  ///   - timeout: how long to wait for a hub that cannot be reached.
  ///   - isRequired: fail if there is no hub in that time.
  /// - Throws: `denied` and other errors that waiting cannot fix; if the hub is required, why it cannot be reached.
  public init(
    hub: Hub, prefix: String = "flags", timeout: Duration = .seconds(5), isRequired: Bool = false
  ) async throws(HubError) {
    mirror = try await HubMirror(hub: hub, prefix: prefix, timeout: timeout, isRequired: isRequired)
    self.prefix = prefix
  }

  /// Follows the flags until the group shuts down, the task is cancelled, or the Hub is closed.
  ///
  /// - Throws: errors that waiting cannot fix.
  public func run() async throws { try await mirror.run() }

  /// The flag's value for that context, or the program's default.
  public func value<Value: FlagConvertible>(
    _ flag: String, default standard: Value, for context: FlagContext = FlagContext()
  ) -> Value {
    details(flag, default: standard, for: context).value
  }

  /// The flag's value for that context, with the reason.
  public func details<Value: FlagConvertible>(
    _ flag: String, default standard: Value, for context: FlagContext = FlagContext()
  ) -> FlagDetails<Value> {
    func failed(_ code: FlagErrorCode) -> FlagDetails<Value> {
      FlagDetails(value: standard, variant: nil, reason: .error, errorCode: code)
    }
    guard let stored = mirror.values[mirror.storeName(flag)] else { return failed(.flagNotFound) }
    let found: FlagValue
    let variant: String?
    var reason = FlagReason.static
    switch stored {
    case .boolean(let value): (found, variant) = (.boolean(value), nil)
    case .integer(let value): (found, variant) = (.integer(Int(value)), nil)
    case .double(let value): (found, variant) = (.double(value), nil)
    case .string(let value): (found, variant) = (.string(value), nil)
    case .data: return failed(.typeMismatch)
    case .json(let text):
      guard let rules = try? JSONDecoder().decode(Flag.self, from: Data(text.utf8)) else {
        return failed(.parseError)
      }
      if rules.enabled == false {
        return FlagDetails(value: standard, variant: nil, reason: .disabled, errorCode: nil)
      }
      let choice = rules.variant(of: flag, for: context)
      guard let value = rules.variants[choice.name] else { return failed(.parseError) }
      (found, variant, reason) = (value, choice.name, choice.reason)
    }
    guard let value = Value(flag: found) else { return failed(.typeMismatch) }
    if mirror.hub.status.error != nil { reason = .stale }
    return FlagDetails(value: value, variant: variant, reason: reason, errorCode: nil)
  }

  /// `ready` or `stale`, then each event. Changes that arrive while the program is busy are one event.
  public var events: AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    let changes = Task { [mirror, prefix] in
      var known: [String: HubValue]?
      for await values in mirror.updates(of: \.values) {
        let old = known ?? values
        let names = Set(values.keys).union(old.keys).filter { values[$0] != old[$0] }
        known = values
        if !names.isEmpty {
          continuation.yield(
            .changed(Set(names.map { String($0.dropFirst(prefix.isEmpty ? 0 : prefix.utf8.count + 1)) })))
        }
      }
    }
    let statuses = Task { [mirror] in
      var last: Event?
      for await status in mirror.hub.statuses {
        let event: Event? = status.isConnected ? .ready : status.error.map { .stale($0) }
        guard let event, event != last else { continue }
        last = event
        continuation.yield(event)
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in
      changes.cancel()
      statuses.cancel()
    }
    return stream
  }
}

/// A type that a flag may have: `Bool`, `Int`, `Double`, `String`.
public protocol FlagConvertible: Sendable {
  /// Nil if the flag has another type.
  init?(flag: FlagValue)
}

extension Bool: FlagConvertible {
  public init?(flag: FlagValue) {
    guard case .boolean(let value) = flag else { return nil }
    self = value
  }
}

extension Int: FlagConvertible {
  public init?(flag: FlagValue) {
    guard case .integer(let value) = flag else { return nil }
    self = value
  }
}

extension Double: FlagConvertible {
  /// Also accepts a whole number.
  public init?(flag: FlagValue) {
    switch flag {
    case .double(let value): self = value
    case .integer(let value): self.init(exactly: value)
    case .boolean, .string: return nil
    }
  }
}

extension String: FlagConvertible {
  public init?(flag: FlagValue) {
    guard case .string(let value) = flag else { return nil }
    self = value
  }
}
