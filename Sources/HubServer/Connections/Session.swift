// One connection as the loop sees it: its stage of life, and the bytes waiting in either direction. The engine knows its identity and its watches.

import HubCore
import HubEngine

/// `Connections` alone changes it, except for `waiting`, which the gate changes.
struct Session {
  /// Whether it is in the ready list: there may be something to read, or requests to execute.
  enum Attention {
    case idle
    case ready
    /// Ready, and its socket takes again what waits for it: that is sent first.
    case sending
    /// It is not, although there is work: its requests wait until its replies have left the gate.
    case halted

    var isListed: Bool { self == .ready || self == .sending }
  }

  private(set) var life = SessionLife.free
  var attention = Attention.idle
  /// Every read is followed by another, until one finds nothing: the client sends nothing more, which only a read reports,
  /// or has sent urgent data, at which reads stop.
  var readsOn = false
  /// Its user's account in `Connections.shares`.
  var user: Int32 = -1
  /// What its steps have cost, in the engine's units of work.
  var cost: UInt64 = 0
  /// When it became ready: the beginning of that turn, in CLOCK_BOOTTIME nanoseconds.
  var readySince: UInt64 = 0
  /// It is one of the few sessions admitted beyond the limit, and may only administer the hub.
  var isExtra = false
  /// Its client has read what filled a small send buffer.
  var hasLargeBuffer = false
  /// Its replies that wait for the journal or the disk.
  var waiting = WaitingReplies()
  /// Requests that are not whole, or not yet executed.
  var input = PendingBytes()
  /// What the socket has not taken of a long event, or of a long reply: it comes before `output`.
  var rest: FrameRest? { didSet { hasLongReply = rest?.isReply ?? false } }
  /// Every step asks.
  private var hasLongReply = false
  /// Replies and partially sent events that the socket has not taken.
  var output = PendingBytes()

  /// Requests wait while more than this many bytes of replies do.
  static let pauseLimit = 64 << 10

  /// Its requests wait until it has taken more of its replies.
  @inline(__always)
  var isPaused: Bool {
    output.count + Int(waiting.bytes) > Session.pauseLimit || hasLongReply
  }

  /// The only code that changes the stage of a life.
  mutating func move(to next: SessionLife) {
    precondition(life.mayBecome(next), "a session that is \(life) cannot be \(next)")
    life = next
  }

  /// What `clients` shows of it.
  var use: SessionUse { SessionUse(cost: cost, held: heldBytes) }

  /// How much the client has still to take.
  var unsent: Int { (rest?.count ?? 0) + output.count }

  /// How much is left of a frame whose front the client has.
  var restOfCutFrame: Int { rest?.count ?? output.restOfCutFrame }

  /// The memory that the hub keeps for it.
  var heldBytes: Int { ownBytes + (rest?.memory ?? 0) }

  /// The part of it that no other session shares.
  var ownBytes: Int { Int(input.capacity) + Int(output.capacity) }
}
