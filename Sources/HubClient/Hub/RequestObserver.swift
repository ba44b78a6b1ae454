// What a program learns about each request of its Hub, for spans, metrics or a log.

internal import HubCore

/// Sees each request of a Hub begin and end.
///
///     let hub = Hub(observer: RequestObserver { request in
///       let start = ContinuousClock.now
///       return { error in log("\(request.verb) \(request.store ?? "")", ContinuousClock.now - start, error) }
///     })
///
/// Streams are not observed. A request that is repeated after a lost connection is still one request.
public struct RequestObserver: Sendable {
  /// Called when the request has ended, with what it throws; nil if it has succeeded.
  public typealias End = @Sendable (HubError?) -> Void

  let began: @Sendable (ObservedRequest) -> End

  /// - Parameter began: called in the task that makes the request, before it is sent. What it returns is called once, in the same
  ///   task, when the request has ended.
  public init(_ began: @escaping @Sendable (ObservedRequest) -> End) { self.began = began }
}

/// A request without its values, which may be secret.
public struct ObservedRequest: Sendable, Hashable {
  /// As the protocol names it: `get`, `set`, `transaction`, `list`.
  public let verb: String
  /// The only store that it names.
  public let store: String?

  init(_ request: Request) {
    verb = "\(request.kind)"
    switch request {
    case .get(let store), .describe(let store): self.store = store.name
    case .write(let operation): store = operation.name
    default: store = nil
    }
  }
}
