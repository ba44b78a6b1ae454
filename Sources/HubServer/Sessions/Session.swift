// One connection as the loop sees it: its state, and the bytes that wait in either direction. Who it is and what it watches is the
// engine's.

import HubCore

/// All zeroes is a free slot.
struct Session {
  /// A connection's life: `free -> open -> (finishing ->) ended -> free`, with `leaving` before the last if the hub has ended it.
  enum State: UInt8 {
    /// There is no such connection.
    case free
    /// Its requests are read and carried out, and it gets events.
    case open
    /// No request of it is read any more. It ends when everything for it has been taken.
    case finishing
    /// It is closed at the end of this turn, or at the beginning of the next.
    case ended
    /// It was told why it ends. What it still sends is thrown away until it goes, or its time is up. It counts no more.
    case leaving
  }

  /// Where bytes for the client go.
  enum Flow: UInt8 {
    /// To the socket.
    case open
    /// Behind those that wait in `output`: the socket takes no more. There can be none, if it stopped between two frames.
    case blocked
    /// Nowhere: the client has gone. What it has asked before is still carried out.
    case gone
  }

  var state: State = .free
  var flow: Flow = .open
  /// Its descriptor stands in the loop's ready list: there may be something to read, or requests to carry out.
  var isReady = false
  /// Its becoming writable is an event.
  var isArmed = false
  /// Every read is followed by another, until one finds nothing: the client sends nothing more, which only a read tells, or
  /// has sent urgent data, at which reads end.
  var readsOn = false
  /// The hub has ended it, and told it why.
  var hasLastWord = false
  /// It is one of the few that are let in beyond the limit, and may only look after the hub.
  var isExtra = false
  /// Its requests wait until replies of it that wait for the journal have left.
  var isHalted = false
  /// Bytes of replies that wait for the journal or the disk.
  var held: UInt32 = 0
  /// How many of its replies wait for the disk.
  var awaitsDisk: UInt32 = 0
  /// Requests that are not whole, or not carried out yet.
  var input = HeldBytes()
  /// Replies and rests of events that the socket has not taken.
  var output = HeldBytes()

  /// Requests wait while more than so many bytes of replies do.
  static let pauseLimit = 64 << 10

  /// Its requests wait until it has taken more of its replies.
  var isPaused: Bool { output.count + Int(held) > Session.pauseLimit }

  /// The memory that it makes the hub keep.
  var heldBytes: Int { Int(input.capacity) + Int(output.capacity) }
}
