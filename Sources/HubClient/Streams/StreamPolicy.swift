// How much a stream keeps for an iteration that falls behind. The queue itself is `EventQueue`.

/// What a stream does with changes that arrive faster than they are read. Nothing is lost silently: an event reports
/// how many changes before it were skipped, and every store's last value is delivered.
public enum StreamPolicy: Hashable, Sendable {
  /// Keep the newest `count` values of each store (at least one). The hub, too, sends only each store's newest value
  /// when the connection is congested.
  case latest(Int = 1)
  /// Keep every change, up to `limit` of them; beyond that a store's oldest gives way to its newer ones. The hub
  /// sends every change, as long as its change log holds it.
  case every(limit: Int = 1024)

  var wantsEvery: Bool { if case .every = self { true } else { false } }
}
