// The freshness of a value. `ClientFreshness` computes it.

public import HubTransport

/// Whether the last value seen of a store is still current.
///
///     for try await event in brightness.events {
///       if let value = event.value { slider.value = value }
///       slider.isDimmed = !event.freshness.isLive
///     }
public indirect enum Freshness: Hashable, Sendable {
  /// Nothing is known yet: the first connection is being made, the values have not arrived, or nothing follows the
  /// store.
  case unknown
  /// The value is the hub's newest. If the store has a provider, the provider confirms it.
  case live
  /// The provider of the store is not connected, not ready, or cut off from its source: the value is the last known
  /// one.
  case stale(ClaimStatus)
  /// The hub has been unreachable since then: there may be a newer value.
  case unreachable(since: Hub.Instant, HubError)

  /// Whether the value can be trusted.
  public var isLive: Bool { self == .live }

  /// Why the value cannot be trusted, as human-readable text; nil if it can be, or if nothing is known.
  public var reason: String? {
    switch self {
    case .unknown, .live: nil
    case .stale(let claim): "\(claim.name): \(claim.reason)"
    case .unreachable(_, let error): error.message
    }
  }
}

extension Freshness: CustomStringConvertible {
  /// For people: `stale, display: its provider is not connected`.
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .live: "live"
    case .stale: "stale, \(reason ?? "")"
    case .unreachable: "unreachable, \(reason ?? "")"
    }
  }
}

extension SharedValue {
  /// The freshness of the value that streams and `cached` showed last. It sends nothing and takes a lock.
  ///
  /// It is `unknown` while no stream of this value is open. After the first read, the Hub also follows the states of
  /// providers while the handle exists; until it has received them, the result is `unknown`.
  public var freshness: Freshness { place.freshness }
}
