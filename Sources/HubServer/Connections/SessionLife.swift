// Owns the stages of a connection's life, and which stage may follow which.

/// ```
///                 +- no more requests: finishing(flow) --+
///                 |  (the client sends nothing more)     |- everything for it has left -+
/// free --> open(flow)                                    |                              v
///   ^             |- the hub's last word: dismissed(flow)+                            ended --> free
///   |             +- reading fails, or memory is short -----------------------------------^      |
///   +-- leaving <-------- it was told why, and may go by itself, for a second -------------------+
///
/// flow:  open --the socket takes no more--> blocked --all of it has left--> easing --it kept up--> open
///        any --a write fails--> gone         easing --the socket takes no more--> blocked
/// ```
enum SessionLife: Equatable {
  /// There is no such connection.
  case free
  /// Its requests are read and executed, and it gets events.
  case open(Flow)
  /// The client sends nothing more. The session ends when the client has taken everything for it.
  case finishing(Flow)
  /// The hub has sent its last message, and reads no more requests. The session ends when the client has taken everything
  /// for it.
  case dismissed(Flow)
  /// It is closed at the end of this turn, or at the beginning of the next.
  case ended(isTold: Bool)
  /// It got the reason for its end. Further input is discarded until it closes, or its time is up. It is no longer a
  /// session.
  case leaving

  /// Where bytes for the client go.
  enum Flow: Equatable {
    /// To the socket.
    case open
    /// To the socket, which keeps up again; still watched for writability, because it may soon fall behind again.
    case easing
    /// Queued: the socket takes no more, and is watched for writability. The queue is empty if the socket stopped between two
    /// frames.
    case blocked
    /// Nowhere: the client is gone. Its earlier requests are still executed.
    case gone
  }

  /// Its requests are executed.
  @inline(__always) var isOpen: Bool { if case .open = self { true } else { false } }

  /// It ends when everything for it was sent.
  @inline(__always) var isFinishing: Bool {
    switch self {
    case .finishing, .dismissed: true
    case .free, .open, .ended, .leaving: false
    }
  }

  /// Nil: there is no one to send to.
  @inline(__always) var flow: Flow? {
    switch self {
    case .open(let flow), .finishing(let flow), .dismissed(let flow): flow
    case .free, .ended, .leaving: nil
    }
  }

  /// It is a session: it is counted, and the engine knows it.
  var isSession: Bool {
    switch self {
    case .open, .finishing, .dismissed, .ended: true
    case .free, .leaving: false
    }
  }

  /// The same stage with another flow.
  func with(_ flow: Flow) -> SessionLife {
    switch self {
    case .open: .open(flow)
    case .finishing: .finishing(flow)
    case .dismissed: .dismissed(flow)
    case .free, .ended, .leaving: self
    }
  }

  /// Whether the other stage may follow this one.
  func mayBecome(_ next: SessionLife) -> Bool {
    switch (self, next) {
    case (.free, .open(.open)), (.free, .leaving), (.ended, .free), (.leaving, .free): true
    // Only when a hub adopts it.
    case (.free, .open), (.free, .finishing), (.free, .dismissed): true
    case (.open, .ended(isTold: false)), (.finishing, .ended(isTold: false)): true
    case (.dismissed, .ended(isTold: true)): true
    case (.open(let flow), .finishing(let same)), (.open(let flow), .dismissed(let same)): flow == same
    case (.open(let flow), .open(let other)), (.finishing(let flow), .finishing(let other)),
      (.dismissed(let flow), .dismissed(let other)):
      flow.mayBecome(other)
    default: false
    }
  }
}

extension SessionLife.Flow {
  func mayBecome(_ next: SessionLife.Flow) -> Bool {
    switch (self, next) {
    case (.open, .blocked), (.easing, .blocked), (.blocked, .easing), (.easing, .open): true
    case (.open, .gone), (.easing, .gone), (.blocked, .gone): true
    default: false
    }
  }

  /// Whether it is watched for writability.
  var isArmed: Bool { self == .easing || self == .blocked }
}
