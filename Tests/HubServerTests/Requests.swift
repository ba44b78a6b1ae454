// Short spellings of requests for these tests.

import HubCore
import HubEngine
import TestSupport

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
  /// The state in the event, if any.
  var state: StoreState? {
    switch self {
    case .change(let state, _, _), .created(_, _, let state, _, _, _), .current(_, let state): state
    default: nil
    }
  }
}

extension RawClient {
  /// Writes, and fails if the write is refused.
  @discardableResult
  func write(_ request: Request) throws -> WriteResult {
    let reply = try call(request)
    guard case .written(let result) = reply else {
      throw TestFailure("\(request) was answered with \(reply)")
    }
    return result
  }

  /// A store's value.
  func value(of name: String) throws -> Value {
    let reply = try call(.get(name))
    guard case .value(let state) = reply else { throw TestFailure("\(name) was answered with \(reply)") }
    return state.value
  }
}
