// How much a stream keeps for an iteration that falls behind. The queue itself is `EventQueue`.

/// What a stream does with changes that arrive faster than they are read. Nothing is lost silently: an event reports
/// how many changes before it were skipped, and every store's last value is delivered.
public enum StreamPolicy: Hashable, Sendable {
  /// Keep the newest `count` values of each store (at least one). When the connection is congested, the hub too sends
  /// only the newest value of each store.
  case latest(Int = 1)
  /// Keep every change, up to `limit` of them; beyond that, a store's newer changes replace its oldest. The hub sends
  /// every change that its change log still holds.
  case every(limit: Int = 1024)

  var wantsEvery: Bool { if case .every = self { true } else { false } }
}
