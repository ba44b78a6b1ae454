// Owns what a request demands of its caller.

/// The result of `HubEngine.receive`: what the caller must do besides sending the reply, usually nothing.
public struct Receipt: OptionSet, Sendable {
  public let rawValue: UInt8

  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Send the replies, then close the connection.
  @inlinable public static var close: Receipt { Receipt(rawValue: 1 << 0) }
  /// The session asks for a reload, and may: the engine's owner must answer the request.
  @inlinable public static var reload: Receipt { Receipt(rawValue: 1 << 1) }
  /// Nothing was done, because the request could not be undone. Ask again after the turn's write to the journal.
  @inlinable public static var askAgain: Receipt { Receipt(rawValue: 1 << 2) }
  /// The reply must wait for the turn's write to the journal. If that fails, the request must be carried out again.
  @inlinable public static var awaitsJournal: Receipt { Receipt(rawValue: 1 << 3) }
  /// The reply must wait until everything written so far is on the disk.
  @inlinable public static var awaitsDisk: Receipt { Receipt(rawValue: 1 << 4) }
  /// The turn's changes fill much of the log: end the turn before it overruns the readers of every change.
  @inlinable public static var turnIsFull: Receipt { Receipt(rawValue: 1 << 5) }
}
