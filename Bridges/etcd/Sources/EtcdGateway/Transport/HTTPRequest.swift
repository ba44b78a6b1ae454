// What is sent by HTTP, and what comes back if it is taken as a whole.

/// A POST with a body. Every request of etcd's gateway is one.
package struct HTTPRequest: Sendable {
  /// Where it goes, with scheme, host, port and path.
  package var url: String
  /// Header lines as they are sent, such as `Authorization: token`.
  package var headers: [String]
  /// The body.
  package var body: [UInt8]
  /// Whether it may be sent again if a connection that was kept open turns out to be dead: only for reads.
  package var isRepeatable: Bool
  /// When it fails with `deadline`. For a stream: when its head must have arrived.
  package var deadline: ContinuousClock.Instant?

  /// A request.
  package init(
    url: String, headers: [String] = [], body: [UInt8], isRepeatable: Bool = false,
    deadline: ContinuousClock.Instant? = nil
  ) {
    self.url = url
    self.headers = headers
    self.body = body
    self.isRepeatable = isRepeatable
    self.deadline = deadline
  }
}

/// A complete answer.
package struct HTTPAnswer: Sendable {
  /// The status, such as 200.
  package let status: Int
  /// The body, without its chunks' frames and trailers.
  package let body: [UInt8]
}
