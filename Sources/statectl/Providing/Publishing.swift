// Whether the publishing command runs, and for which watchers.

internal import HubCore
internal import HubTransport

/// The claim's watchers, according to its state.
struct Demand: Equatable {
  var isWatched = false
  /// The shortest interval that they ask for, in milliseconds; nil: every change.
  var interval: Int64?

  init() {}

  init(_ status: ClaimStatus?) {
    isWatched = status?.isWatched ?? false
    interval = status?.interval.map { Int64($0.wholeNanoseconds / 1_000_000) }
  }
}

/// What publishes, and what the hub has reported of watchers.
enum Publishing {
  case off
  case on(Publisher, Demand)
  /// It was asked to exit, and has not exited yet.
  case stopping(Publisher, next: Demand)

  var demand: Demand {
    switch self {
    case .off: Demand()
    case .on(_, let demand), .stopping(_, let demand): demand
    }
  }

  /// What to wait for; -1: nothing.
  var descriptor: Int32 {
    switch self {
    case .off: -1
    case .on(let publisher, _): publisher.descriptor
    case .stopping(let publisher, _): publisher.end
    }
  }
}
