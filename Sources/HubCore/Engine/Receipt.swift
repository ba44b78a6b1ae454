// Owns what a request came to: all that its caller has to do about it.

/// The answer to `HubEngine.receive`: what its caller has to do besides sending the reply, usually nothing.
public struct Receipt: OptionSet, Sendable {
  public let rawValue: UInt8

  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Send the replies, then close the connection.
  @inlinable public static var close: Receipt { Receipt(rawValue: 1 << 0) }
  /// The session asks the engine's owner to reload, and may: the request is the owner's to answer.
  @inlinable public static var reload: Receipt { Receipt(rawValue: 1 << 1) }
  /// Nothing was done: what the request does could not be taken back. Ask again when the turn's write to the journal is done.
  @inlinable public static var askAgain: Receipt { Receipt(rawValue: 1 << 2) }
  /// The reply has to wait for the turn's write to the journal. If that fails the request has to be carried out again.
  @inlinable public static var awaitsJournal: Receipt { Receipt(rawValue: 1 << 3) }
  /// The reply has to wait until everything that was written so far is on the disk.
  @inlinable public static var awaitsDisk: Receipt { Receipt(rawValue: 1 << 4) }
  /// The turn's changes fill a good part of the log: end the turn before it overruns those who want every change.
  @inlinable public static var turnIsFull: Receipt { Receipt(rawValue: 1 << 5) }
}
