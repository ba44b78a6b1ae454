// A request on its way, and what becomes of it when the connection is lost. It sends nothing.

internal import HubCore
internal import HubTransport

struct Flight {
  let request: Request
  /// Nil: no caller waits for it.
  let call: Call?
  var deadline: Deadline
  /// Where its frame begins in what was written to this connection; nil: it was not written to this one.
  var start: UInt64?
  /// It went out, at least in part, on a connection that was lost.
  var mayHaveRun = false
}

extension WriteOperation {
  var name: String? { if case .name(let name) = store { name.text } else { nil } }
}

extension HubError {
  /// The write was sent, and its answer will not come.
  static func outcomeUnknown(_ request: Request) -> HubError {
    HubError(
      .outcomeUnknown, store: request.operations.first?.name,
      "the connection was lost before the answer: whether the write was carried out is unknown, read to find out"
    )
  }
}
