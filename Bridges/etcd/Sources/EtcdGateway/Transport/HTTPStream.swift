// The body of an answer while it arrives, in pieces or in lines.

/// The pieces of a body, for one reading task. A released stream ends its transfer.
package final class HTTPStream: Sendable, AsyncSequence {
  /// The answer's status.
  package let status: Int
  private let exchange: Exchange
  private let transport: HTTPTransport

  init(status: Int, _ exchange: Exchange, _ transport: HTTPTransport) {
    self.status = status
    self.exchange = exchange
    self.transport = transport
  }

  deinit { cancel() }

  /// Counts what has arrived: it grows while the other side sends.
  package var activity: Int { exchange.changes }

  /// Ends the transfer. Its reader gets what has arrived, and then `cancelled`.
  package func cancel() { transport.end(exchange, .cancelled, "the stream was cancelled") }

  /// The next piece, at most as long as the settings' buffer and a piece of libcurl's; `nil`: the answer is complete.
  package func next() async throws(TransportFailure) -> [UInt8]? {
    let step = await transport.cancellable(exchange) {
      await exchange.wait { state -> Step? in
        if !state.bytes.isEmpty {
          defer {
            state.bytes = []
            state.isPaused = false
          }
          return .bytes(state.bytes, wasPaused: state.isPaused)
        }
        guard case .ended(_, let failure) = state.phase else { return nil }
        return .end(failure)
      }
    }
    switch step {
    case .bytes(let bytes, let wasPaused):
      if wasPaused { transport.resume(exchange) }
      return bytes
    case .end(let failure?): throw failure
    case .end(nil): return nil
    }
  }

  private enum Step: Sendable {
    case bytes([UInt8], wasPaused: Bool)
    case end(TransportFailure?)
  }

  /// Iterates over the pieces.
  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let stream: HTTPStream

    /// The next piece.
    package mutating func next() async throws(TransportFailure) -> [UInt8]? { try await stream.next() }
  }

  /// An iterator over the pieces that have not been taken.
  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }
}
