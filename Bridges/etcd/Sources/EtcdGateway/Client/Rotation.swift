// The endpoint for the next request: the one that worked last.

internal import Synchronization

final class Rotation: Sendable {
  let endpoints: [String]
  private let preferred = Mutex(0)

  /// Endpoints, at least one, without a slash at the end.
  init(_ endpoints: [String]) throws(EtcdFailure) {
    if endpoints.isEmpty { throw EtcdFailure(.rejected("there is no endpoint"), .none) }
    for endpoint in endpoints where !endpoint.hasPrefix("http://") && !endpoint.hasPrefix("https://") {
      throw EtcdFailure(.rejected("an endpoint begins with http:// or https://"), .none, at: endpoint)
    }
    self.endpoints = endpoints.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
  }

  /// The endpoint to ask.
  var current: String { endpoints[preferred.withLock { $0 }] }

  /// Continues with the next endpoint after a failure, unless another request has done so before.
  func leave(_ endpoint: String) {
    preferred.withLock { preferred in
      if endpoints[preferred] == endpoint { preferred = (preferred + 1) % endpoints.count }
    }
  }
}
