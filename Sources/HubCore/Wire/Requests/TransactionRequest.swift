// `transaction`: frames of writes, all of which are executed, or none.

package struct TransactionCommand: RequestCommand {
  /// Their frames, read one by one.
  package let operations: FrameCursor
  private let frame: FrameView

  package static let effect = RequestEffect.stores

  package init(_ frame: FrameView) {
    self.frame = frame
    operations = FrameCursor(frame.payload)
  }

  package func request() throws(HubError) -> Request {
    var owned: [WriteOperation] = []
    var operations = operations
    while let operation = operations.next() { owned.append(try WriteOperation(decoding: operation)) }
    guard operations.isAtEnd else { throw .malformed(frame) }
    return .transaction(owned)
  }

  static func encode(_ operations: [WriteOperation], _ id: UInt32, into out: inout OutputBuffer) {
    out.frame(RequestKind.transaction.rawValue, request: id) { out in
      for operation in operations { operation.encode(into: &out, id: 0) }
    }
  }
}
