// One connection as the loop sees it: its stage of life, and the bytes that wait in either direction. Who it is and what it
// watches is the engine's.

import HubCore

/// `Connections` alone changes it, except for `waiting`, which is the gate's.
struct Session {
  /// Whether it stands in the ready list: there may be something to read, or requests to carry out.
  enum Attention {
    case idle
    case ready
    /// It does not, although there is: its requests wait until replies of it have left the gate.
    case halted
  }

  private(set) var life = SessionLife.free
  var attention = Attention.idle
  /// Every read is followed by another, until one finds nothing: the client sends nothing more, which only a read tells, or
  /// has sent urgent data, at which reads end.
  var readsOn = false
  /// It is one of the few that are let in beyond the limit, and may only look after the hub.
  var isExtra = false
  /// Replies of it that wait for the journal or the disk.
  var waiting = WaitingReplies()
  /// Requests that are not whole, or not carried out yet.
  var input = HeldBytes()
  /// Replies and rests of events that the socket has not taken.
  var output = HeldBytes()

  /// Requests wait while more than so many bytes of replies do.
  static let pauseLimit = 64 << 10

  /// Its requests wait until it has taken more of its replies.
  @inline(__always)
  var isPaused: Bool { output.count + Int(waiting.bytes) > Session.pauseLimit }

  /// The only place where the stage of a life changes.
  mutating func move(to next: SessionLife) {
    precondition(life.mayBecome(next), "a session that is \(life) cannot be \(next)")
    life = next
  }

  /// The memory that it makes the hub keep.
  var heldBytes: Int { Int(input.capacity) + Int(output.capacity) }
}
