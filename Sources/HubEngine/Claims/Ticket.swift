// A write that waits for a provider: its request, and its effect.

import HubCore

struct Ticket {
  let number: UInt64
  /// The writer's session; nil: it is gone, or a value has expired.
  var session: SessionID?
  let request: UInt32
  let writer: Peer
  /// The user whose account it is in.
  var payer: UInt32
  let client: String
  /// The whole request; empty for an expired value.
  let frame: [UInt8]
  /// The latest time of the reply to the writer, in CLOCK_BOOTTIME nanoseconds; `.max`: no writer waits.
  let deadline: UInt64
  /// What it would do to the stores as they were at `evaluated`.
  var operations: [ForwardedOperation]
  /// The hub's revision for which that is true.
  var evaluated: Revision
  /// It is one operation of a transaction's kind: the answer is `committed`.
  let isTransaction: Bool
  var outcome: Outcome?

  /// Its outcome once the turn's changes are in the journal.
  enum Outcome {
    /// The writer's reply, a whole frame.
    case reply([UInt8], isSynced: Bool = false)
    /// It is evaluated again, and forwarded again.
    case again
  }

  var isEnd: Bool { deadline == .max }

  /// What it takes, in bytes: the request, and its effect, which can be far larger.
  var memory: Int { operations.reduce(512 + frame.count) { $0 + $1.memory } }

  var charge: Charge { Charge(kind: .watches, bytes: memory, uid: payer) }

  /// The first of its stores, for errors.
  var store: String? { operations.first?.name.text }

  /// Its state before it was forwarded: it is evaluated again.
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
