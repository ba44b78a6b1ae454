// Short spellings of requests for these tests.

import HubCore

extension Request {
  static func get(_ name: String) -> Request { .get(.name(try! StoreName(name))) }

  static func set(_ name: String, _ value: Value, lifetime: Lifetime = .permanent) -> Request {
    .write(.set(.name(try! StoreName(name)), value, lifetime: lifetime))
  }

  static func watch(_ pattern: String, policy: WatchPolicy = .latest) -> Request {
    .watch([try! NamePattern(pattern)], policy: policy)
  }
}

extension HubEvent {
  /// The state that the event brings, if it brings one.
  var state: StoreState? {
    switch self {
    case .change(let state, _, _), .created(_, _, let state, _, _, _), .current(_, let state): state
    default: nil
    }
  }
}
