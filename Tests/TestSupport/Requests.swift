// Short spellings of requests for tests.

public import HubCore

extension Request {
  public static func get(_ name: String) -> Request { .get(.name(try! StoreName(name))) }

  public static func set(_ name: String, _ value: Value, lifetime: Lifetime = .permanent) -> Request {
    .write(.set(.name(try! StoreName(name)), value, lifetime: lifetime))
  }

  public static func watch(_ pattern: String, policy: WatchPolicy = .latest) -> Request {
    .watch([try! NamePattern(pattern)], policy: policy)
  }
}

extension StoreReference: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self = .name(try! StoreName(text)) }
}

extension HubEvent {
  /// The state in the event, if any.
  public var state: StoreState? {
    switch self {
    case .change(let state, _, _), .created(_, _, let state, _, _, _), .current(_, let state): state
    default: nil
    }
  }
}

extension RawClient {
  /// Writes, and fails if the write is refused.
  @discardableResult
  public func write(_ request: Request) throws -> WriteResult {
    let reply = try call(request)
    guard case .written(let result) = reply else {
      throw TestFailure("\(request) was answered with \(reply)")
    }
    return result
  }

  /// A store's value.
  public func value(of name: String) throws -> Value {
    let reply = try call(.get(name))
    guard case .value(let state) = reply else { throw TestFailure("\(name) was answered with \(reply)") }
    return state.value
  }
}
