// Owns the replies that may not be sent yet: they wait for the turn's write to the journal, or until the disk has their
// writes.

import HubCore
import HubEngine

/// How much of one session's replies waits at the gate, which alone changes it. All zeroes is none.
struct WaitingReplies: Equatable {
  /// Bytes that wait for the turn's write or the disk.
  fileprivate(set) var bytes: UInt32 = 0
  /// How many replies wait for the disk.
  fileprivate(set) var forDisk: UInt32 = 0

  @inline(__always) var isEmpty: Bool { bytes == 0 }
}

/// The journal as replies see it.
struct JournalStanding {
  /// Where the last complete record ends.
  var end: JournalPosition
  /// The journal is on the disk up to here.
  var durable: JournalPosition
  /// The disk confirms what is written.
  var confirms: Bool
}

/// Replies go in as they are made, and come out in each session's order when they may be sent. It does not send.
///
/// Invariant: a session's `waiting` counts its replies in `turn` and in `queue`. A reply waits at least as long as any
/// earlier one of its session. The queues have no separate limit: a session's requests wait while more than
/// `Session.pauseLimit` bytes of its replies do, and a turn ends when it is full.
struct ReplyGate: ~Copyable {
  /// The result for a step's replies.
  enum Passage {
    case maySend
    /// They come out when the turn is written.
    case waitsForWrite
    /// They come out when the disk has them; hasten the sync.
    case waitsForDisk
    /// They may be sent, but without what they promise: the disk confirms nothing at the moment.
    case unconfirmed
  }

  /// What the replies of this step must wait for.
  private var demand: Receipt = []
  /// Those that wait for the turn's write.
  private var turn = TurnReplies()
  /// Those that wait for the disk.
  private var queue = SyncQueue()

  /// Whether a reply of the turn will wait for the disk once the turn is written.
  var isTurnSynced: Bool { turn.isSynced }
  var awaitsDisk: Bool { !queue.isEmpty }

  // MARK: In

  /// A request was executed whose receipt demands a wait.
  @inline(__always)
  mutating func note(_ receipt: Receipt) {
    demand.formUnion(receipt.intersection([.awaitsJournal, .awaitsDisk]))
  }

  /// Whether the replies of this step may be sent at once.
  @inline(__always)
  func isOpen(for waiting: WaitingReplies) -> Bool { demand.isEmpty && waiting.isEmpty }

  /// A step has ended without replies.
  @inline(__always)
  mutating func endStep() { demand = [] }

  /// Takes the replies of a step. The caller is done with them unless they may be sent.
  ///
  /// - Parameter journal: nil: there is none, and no reply waits.
  mutating func pass(
    _ replies: ByteView, for descriptor: Int32, _ waiting: inout WaitingReplies, _ journal: JournalStanding?
  ) -> Passage {
    let demand = demand
    self.demand = []
    guard let journal else { return .maySend }
    // Nothing overtakes what already waits for the turn's write.
    if demand.contains(.awaitsJournal) || !turn.isEmpty {
      turn.append(replies, for: descriptor, isSynced: demand.contains(.awaitsDisk))
      waiting.bytes += UInt32(replies.count)
      return .waitsForWrite
    }
    // A reply to a write that changed nothing: the state that it saw may already be on the disk.
    if journal.end <= journal.durable, waiting.isEmpty { return .maySend }
    if !journal.confirms { return .unconfirmed }
    enqueue(replies, for: descriptor, &waiting, until: journal.end)
    return .waitsForDisk
  }

  private mutating func enqueue(
    _ replies: ByteView, for descriptor: Int32, _ waiting: inout WaitingReplies,
    until position: JournalPosition
  ) {
    queue.append(replies, for: descriptor, until: position)
    waiting.bytes += UInt32(replies.count)
    waiting.forDisk += 1
  }

  // MARK: Out

  /// The turn was written: returns the next reply that may be sent, valid until the next mutation. Replies that wait for
  /// the disk, too, keep waiting.
  ///
  /// - Parameters:
  ///   - end: where the journal ends now.
  ///   - isOverdue: all of them wait for the disk.
  mutating func nextWritten(
    _ sessions: inout SessionSlots, end: JournalPosition, isOverdue: Bool = false
  ) -> (Int32, ByteView)? {
    while let (step, bytes) = turn.takeStep() {
      sessions[step.descriptor].waiting.bytes -= UInt32(step.count)
      if step.isSynced || isOverdue || sessions[step.descriptor].waiting.forDisk > 0 {
        enqueue(bytes, for: step.descriptor, &sessions[step.descriptor].waiting, until: end)
      } else {
        return (step.descriptor, bytes)
      }
    }
    return nil
  }

  /// The turn could not be written, or the disk does not confirm what was: returns the next of all replies that wait, valid until
  /// the next mutation.
  mutating func nextUnstored(_ sessions: inout SessionSlots) -> (Int32, ByteView)? {
    if let reply = nextConfirmed(&sessions, durable: JournalPosition(raw: .max)) { return reply }
    guard let (step, bytes) = turn.takeStep() else { return nil }
    sessions[step.descriptor].waiting.bytes -= UInt32(step.count)
    return (step.descriptor, bytes)
  }

  /// The disk has more: returns the next reply that waited for it, valid until the next mutation.
  ///
  /// - Parameter durable: the journal is on the disk up to here.
  mutating func nextConfirmed(_ sessions: inout SessionSlots, durable: JournalPosition) -> (Int32, ByteView)?
  {
    while let (entry, bytes) = queue.take(durable: durable) {
      if entry.descriptor < 0 { continue }
      sessions[entry.descriptor].waiting.bytes -= UInt32(entry.count)
      sessions[entry.descriptor].waiting.forDisk -= 1
      return (entry.descriptor, bytes)
    }
    return nil
  }

  /// The session is gone: drops its replies that wait for the disk.
  ///
  /// - Returns: how many replies were examined.
  @discardableResult
  mutating func forget(_ descriptor: Int32, _ waiting: WaitingReplies) -> Int {
    waiting.forDisk > 0 ? queue.forget(descriptor) : 0
  }

  /// Which invariants are broken, and how.
  func brokenInvariants(_ sessions: borrowing SessionSlots) -> [String] {
    var counted: [Int32: WaitingReplies] = [:]
    for step in turn.steps { counted[step.descriptor, default: WaitingReplies()].bytes += UInt32(step.count) }
    var position = JournalPosition(raw: 0)
    var problems: [String] = []
    for entry in queue.waiting {
      if entry.position < position { problems.append("a reply is queued behind one that waits for more") }
      position = entry.position
      if entry.descriptor < 0 { continue }
      counted[entry.descriptor, default: WaitingReplies()].bytes += UInt32(entry.count)
      counted[entry.descriptor, default: WaitingReplies()].forDisk += 1
    }
    for descriptor in 0..<sessions.limit {
      let (waiting, found) = (sessions[descriptor].waiting, counted[descriptor] ?? WaitingReplies())
      if waiting != found {
        problems.append("session \(descriptor) counts \(waiting), but has \(found)")
      }
    }
    return problems
  }
}
