// Owns what a request came to: all that its caller has to do about it.

/// The answer to `HubEngine.receive`.
public struct Receipt: Sendable, Equatable {
  public enum Next: Sendable, Equatable {
    case proceed
    /// Send the replies, then close the connection.
    case close
    /// The session asks the engine's owner to reload, and may: this request is the owner's to answer.
    case reload(request: UInt32)
    /// Nothing was done: what the request does could not be taken back. Ask again when the turn's write to the journal is done.
    case askAgain
  }

  public var next: Next
  /// The reply has to wait for the turn's write to the journal. If that fails the request has to be carried out again.
  public var awaitsJournal: Bool
  /// The reply has to wait until everything that was written so far is on the disk.
  public var awaitsDisk: Bool
  /// The turn's changes fill a good part of the log: end the turn before it overruns those who want every change.
  public var isTurnFull: Bool

  static let later = Receipt(next: .askAgain, awaitsJournal: true, awaitsDisk: false, isTurnFull: false)
}

extension Frame.Kind {
  /// What such a request does to its session stands at once, whatever becomes of the turn's write.
  @inline(__always) var cannotBeTakenBack: Bool {
    switch self {
    case .watch, .unwatch, .hello, .list: true
    default: false
    }
  }
}
