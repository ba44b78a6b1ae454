// Owns the actions that a request requires of its caller.

import HubCore

/// The result of `HubEngine.receive`: what the caller must do besides sending the reply, usually nothing.
@usableFromInline package struct Receipt: OptionSet, Sendable {
  @usableFromInline package let rawValue: UInt8

  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  // Every request uses these. Another module could use the library's own only through calls to the protocol.

  @inlinable package init() { rawValue = 0 }
  @inlinable package var isEmpty: Bool { rawValue == 0 }
  @inlinable package func contains(_ other: Receipt) -> Bool { rawValue & other.rawValue == other.rawValue }
  @inlinable package func intersection(_ other: Receipt) -> Receipt {
    Receipt(rawValue: rawValue & other.rawValue)
  }
  @inlinable package mutating func formUnion(_ other: Receipt) {
    self = Receipt(rawValue: rawValue | other.rawValue)
  }

  /// Send the replies, then close the connection.
  @inlinable package static var close: Receipt { Receipt(rawValue: 1 << 0) }
  /// The session asks for a reload, and may: the engine's owner must answer the request.
  @inlinable package static var reload: Receipt { Receipt(rawValue: 1 << 1) }
  /// The request must wait, for example for room in the journal, or needs another step: call again with the same frame,
  /// in a later turn.
  @inlinable package static var askAgain: Receipt { Receipt(rawValue: 1 << 2) }
  /// The reply must wait for the turn's write to the journal.
  @inlinable package static var awaitsJournal: Receipt { Receipt(rawValue: 1 << 3) }
  /// The reply must wait until everything written so far is on the disk.
  @inlinable package static var awaitsDisk: Receipt { Receipt(rawValue: 1 << 4) }
  /// The turn's changes fill much of the log: end the turn before it overruns the readers of every change.
  @inlinable package static var turnIsFull: Receipt { Receipt(rawValue: 1 << 5) }
}
