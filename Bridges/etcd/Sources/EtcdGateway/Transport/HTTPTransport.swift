// HTTP/1.1 requests as asynchronous calls. libcurl does the work, on one thread of the transport.

/// A pool of connections. A released transport closes them and ends its thread.
package final class HTTPTransport: Sendable {
  private let mailbox: Mailbox
  private let settings: TransportSettings

  /// Starts the transport's thread.
  package init(_ settings: TransportSettings = TransportSettings()) {
    self.settings = settings
    mailbox = Mailbox(limit: settings.transfers)
    TransportLoop.start(mailbox, settings)
  }

  deinit { mailbox.close() }

  /// Sends a request and waits for the whole answer, of any status. Cancellation ends it at once.
  package func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPAnswer {
    let exchange = Exchange(.whole(longest: settings.longestBody))
    mailbox.start(request, exchange)
    let end = await cancellable(exchange) {
      await exchange.wait { state -> HTTPEnd? in
        guard case .ended(let status, let failure) = state.phase else { return nil }
        defer { state.bytes = [] }
        return HTTPEnd(status: status, body: state.bytes, failure: failure)
      }
    }
    if let failure = end.failure { throw failure }
    return HTTPAnswer(status: end.status, body: end.body)
  }

  /// Sends a request and waits for the head of its answer, of any status. The stream is the body.
  package func open(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPStream {
    let exchange = Exchange(.stream(bound: settings.streamBuffer))
    mailbox.start(request, exchange)
    let head = await cancellable(exchange) {
      await exchange.wait { state -> HTTPEnd? in
        switch state.phase {
        case .sending: nil
        case .receiving(let status): HTTPEnd(status: status, body: [], failure: nil)
        case .ended(let status, let failure):
          HTTPEnd(status: status, body: [], failure: status == 0 ? failure : nil)
        }
      }
    }
    if let failure = head.failure { throw failure }
    return HTTPStream(status: head.status, exchange, self)
  }

  /// Waits; if the task is cancelled meanwhile, or was before, the transfer ends.
  func cancellable<Value>(_ exchange: Exchange, _ wait: () async -> Value) async -> Value {
    await withTaskCancellationHandler(operation: wait) { end(exchange, .cancelled, "the task was cancelled") }
  }

  /// Ends a transfer, which then fails in this way, unless it has ended before.
  func end(_ exchange: Exchange, _ kind: TransportFailure.Kind, _ text: String) {
    mailbox.post(.end(exchange, kind, text))
  }

  /// Continues a paused transfer.
  func resume(_ exchange: Exchange) { mailbox.post(.resume(exchange)) }
}

private struct HTTPEnd: Sendable {
  let status: Int
  let body: [UInt8]
  let failure: TransportFailure?
}
