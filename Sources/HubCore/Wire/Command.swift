// Requests as the hub reads them: borrowed from the frame, checked for shape, without allocations in the common cases.

/// Any request except a write. Its file defines how a frame holds it, in both directions, and its effect.
package protocol RequestCommand {
  /// Nil if the frame is truncated or has an invalid field.
  init?(_ frame: FrameView)

  /// The same command as an owned value.
  func request() throws(HubError) -> Request

  static var effect: RequestEffect { get }
}

/// A write. Its effect is on stores.
package protocol OperationCommand {
  /// Nil if the frame is truncated or has an invalid field.
  init?(_ frame: FrameView)

  /// The same command as an owned value.
  func operation() throws(HubError) -> WriteOperation
}

/// A request of either sort whose frame names a store and nothing else.
@usableFromInline package protocol StoreCommand {
  init(store: StoreKey)
}

extension StoreCommand {
  @inlinable @inline(__always)
  package init?(_ frame: FrameView) {
    guard let store = StoreKey(only: frame) else { return nil }
    self.init(store: store)
  }
}

/// What a request changes, for code that delays it, repeats it or undoes it.
package enum RequestEffect: Sendable {
  /// It only reads.
  case none
  /// Its effect is immediate and cannot be undone, so the hub executes it when nothing in the turn is waiting for the
  /// journal. A client may repeat it.
  case immediate
  /// It changes stores: it is undone if it does not reach the journal, and the answer may have to wait for the disk.
  /// If the reply is lost, the outcome is unknown, and a client repeats the request only with conditions that fail the
  /// second time.
  case stores
}

extension Frame.Kind {
  /// Of requests; the hub executes no other frames.
  package var effect: RequestEffect {
    switch self {
    case .request(let kind): kind.command.effect
    case .write: .stores
    case .event, .reply: .none
    }
  }
}
