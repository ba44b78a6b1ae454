// A request on its way, and what happens to it when the connection is lost. It sends nothing.

internal import HubCore
internal import HubTransport

struct Flight {
  let request: Request
  /// Nil: no caller waits for it.
  let call: Call?
  let deadline: Deadline
  /// Where its frame begins in what was written to this connection; nil: it was not written to this one.
  var start: UInt64?
  /// It went out, at least in part, on a connection that was lost.
  var mayHaveRun = false
}

extension Request {
  /// Whether it can be sent again although it may have been carried out: reads, and writes whose conditions fail if they
  /// were.
  var isRepeatable: Bool {
    switch self {
    case .write(let operation): operation.isConditional
    case .transaction(let operations): operations.allSatisfy(\.isConditional)
    default: true
    }
  }

  /// Whether it changes nothing.
  var isRead: Bool {
    switch self {
    case .write, .transaction: false
    default: true
    }
  }

  /// What it writes.
  var operations: [WriteOperation] {
    switch self {
    case .write(let operation): [operation]
    case .transaction(let operations): operations
    default: []
    }
  }
}

extension WriteOperation {
  fileprivate var isConditional: Bool {
    switch self {
    case .set(_, _, let condition, _, _), .remove(_, let condition): condition != .none
    case .add, .toggle, .reset, .create: false
    }
  }

  var store: StoreReference {
    switch self {
    case .set(let store, _, _, _, _), .add(let store, _, _), .toggle(let store), .reset(let store),
      .remove(let store, _):
      store
    case .create(let name, _, _): .name(name)
    }
  }

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
