// A write that waits for a provider: as it was sent, and what it would do.

import HubCore

struct Ticket {
  let number: UInt64
  /// The setter's session; nil: it has gone, or nobody asks because the time of a value is up.
  var session: SessionID?
  let request: UInt32
  let setter: Peer
  /// The user whose account it is in.
  var payer: UInt32
  let client: String
  /// The request, whole; empty if the time of a value is up.
  let frame: [UInt8]
  /// When the setter is answered, whatever happens, in CLOCK_BOOTTIME nanoseconds; `.max`: nobody waits.
  let deadline: UInt64
  /// What it would do to the stores as they were at `evaluated`.
  var operations: [ForwardedOperation]
  /// The hub's revision for which that is true.
  var evaluated: Revision
  /// It is one operation of a transaction's kind: the answer is `committed`.
  let isTransaction: Bool
  var outcome: Outcome?

  /// What becomes of it when the turn's changes are in the journal.
  enum Outcome {
    /// The setter's reply, a whole frame.
    case reply([UInt8], isSynced: Bool = false)
    /// It is judged anew, and forwarded again.
    case again
  }

  var isEnd: Bool { deadline == .max }

  /// What it makes the hub keep, in bytes: the request, and what it would do, which can be far more.
  var memory: Int { operations.reduce(512 + frame.count) { $0 + $1.memory } }

  /// The first of its stores, for errors.
  var store: String? { operations.first?.name.text }

  /// As it was before it was forwarded: it is judged again.
  var asked: Ticket {
    var ticket = self
    (ticket.outcome, ticket.evaluated) = (nil, .max)
    return ticket
  }
}

extension ForwardedOperation {
  /// What it takes, in bytes; about how long it is in a frame.
  var memory: Int { 320 + (value?.bytes.count ?? 0) + (schema.map { $0.memory } ?? 0) }
}
