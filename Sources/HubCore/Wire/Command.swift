// Requests as the hub reads them: borrowed from the frame, checked for shape, with nothing allocated for the usual ones.

/// A request besides the writes. Its file says how it lies in a frame, both ways, and what its effect is.
protocol RequestCommand {
  /// Nil if the frame ends too early or holds an impossible field.
  init?(_ frame: FrameView)

  /// The same as an owned value.
  func request() throws(HubError) -> Request

  static var effect: RequestEffect { get }
}

/// A write. Its effect is on stores.
protocol OperationCommand {
  /// Nil if the frame ends too early or holds an impossible field.
  init?(_ frame: FrameView)

  /// The same as an owned value.
  func operation() throws(HubError) -> WriteOperation
}

/// What a request changes, for whoever delays it, repeats it or takes it back.
package enum RequestEffect: Sendable {
  /// It shows something and changes nothing.
  case none
  /// What it does stands at once and cannot be taken back: the hub carries it out when nothing of the turn waits for the
  /// journal. A client may repeat it.
  case immediate
  /// It changes stores: it is taken back if the journal does not get it, and the answer may have to wait for the disk. When the
  /// answer is lost a client does not know what became of it, and repeats it only under conditions that fail the second time.
  case stores
}

extension Frame.Kind {
  /// Of requests; of what else a hub is sent it carries out nothing.
  var effect: RequestEffect {
    switch self {
    case .request(let kind): kind.command.effect
    case .write: .stores
    case .event, .reply: .none
    }
  }
}
