// A pending request, and its outcome when the connection is lost. It sends nothing.

internal import HubCore
internal import HubTransport

struct Flight {
  let request: Request
  /// Nil: no caller waits for it.
  let call: Call?
  var deadline: Deadline
  /// Where its frame begins in this connection's output; nil if it was not written to this connection.
  var start: UInt64?
  /// It was sent, at least in part, on a connection that was lost.
  var mayHaveRun = false
}

extension WriteOperation {
  var name: String? { if case .name(let name) = store { name.text } else { nil } }
}

extension HubError {
  /// The hub does not accept a request of that length.
  static func tooLong(_ length: Int, _ limit: Int, store: String?) -> HubError {
    HubError(
      .frameTooLarge, store: store, "the request takes \(length) bytes, the hub takes at most \(limit)")
  }

  /// The write was sent, and its reply is lost.
  static func outcomeUnknown(_ request: Request) -> HubError {
    HubError(
      .outcomeUnknown, store: request.operations.first?.name,
      "the connection was lost before the reply: the outcome of the write is unknown, read to find out"
    )
  }
}
