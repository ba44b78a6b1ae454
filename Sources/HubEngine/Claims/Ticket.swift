// A write that waits for a provider, its request and its effect; or a read and its waiting readers.

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
  /// The store that is read; nil: it is a write, or the end of a value.
  private(set) var readStore: StoreName?
  /// Who waits for the read. Bounded by `Claim.mostForwardedBytes`.
  private(set) var readers: [Reader] = []
  private var readerBytes = 0

  init(
    number: UInt64, session: SessionID?, request: UInt32, writer: Peer, payer: UInt32, client: String,
    frame: [UInt8], deadline: UInt64, operations: [ForwardedOperation], evaluated: Revision,
    isTransaction: Bool
  ) {
    (self.number, self.session, self.request, self.writer) = (number, session, request, writer)
    (self.payer, self.client, self.frame, self.deadline) = (payer, client, frame, deadline)
    (self.operations, self.evaluated, self.isTransaction) = (operations, evaluated, isTransaction)
  }

  /// A `get` that waits.
  struct Reader {
    let session: SessionID
    /// The whole request.
    let frame: [UInt8]
    /// What its user is charged, the value included.
    let memory: Int
  }

  /// Its outcome once the turn's changes are in the journal.
  enum Outcome {
    /// The writer's reply, a complete frame.
    case reply([UInt8], isSynced: Bool = false)
    /// The readers get the store's value, or an error.
    case read(HubError?)
    /// It is evaluated again, and forwarded again.
    case again
  }

  var isEnd: Bool { deadline == .max }
  var isRead: Bool { readStore != nil }

  /// A ticket itself, in bytes.
  static let ownMemory = 512

  /// What it takes, in bytes: the request, and its effect, which can be far larger; or the readers.
  var memory: Int {
    isRead ? readerBytes : operations.reduce(Ticket.ownMemory + frame.count) { $0 + $1.memory }
  }

  /// Each reader is charged for itself.
  var charge: Charge { Charge(kind: .watches, bytes: isRead ? 0 : memory, uid: payer) }

  /// The first of its stores, for errors.
  var store: String? { readStore?.text ?? operations.first?.name.text }

  /// Its state before it was forwarded: it is evaluated again.
  var asked: Ticket {
    var ticket = self
    (ticket.outcome, ticket.evaluated) = (nil, .max)
    return ticket
  }
}

extension Ticket {
  /// A read.
  init(_ number: UInt64, reading store: StoreName, by reader: Reader?, until deadline: UInt64) {
    self.init(
      number: number, session: nil, request: 0, writer: Peer(pid: 0, uid: 0, gid: 0), payer: 0, client: "",
      frame: [], deadline: deadline, operations: [], evaluated: 0, isTransaction: false)
    readStore = store
    if let reader { add(reader) }
  }

  mutating func add(_ reader: Reader) {
    readers.append(reader)
    readerBytes += reader.memory
  }

  /// Whether a read can join it: those that wait are not answered yet, and together they do not take too much.
  func takes(_ reader: Reader, reading store: StoreName) -> Bool {
    readStore == store && !readers.isEmpty && outcome == nil
      && readerBytes + reader.memory <= Claim.mostForwardedBytes
  }

  /// - Returns: what they were charged, in bytes.
  mutating func removeReaders(where body: (Reader) -> Bool) -> Int {
    let before = readerBytes
    readers.removeAll(where: body)
    readerBytes = readers.reduce(0) { $0 + $1.memory }
    return before - readerBytes
  }
}

extension ForwardedOperation {
  /// What it takes, in bytes; about how long it is in a frame.
  var memory: Int { 320 + (value?.bytes.count ?? 0) + (schema.map { $0.memory } ?? 0) }
}
