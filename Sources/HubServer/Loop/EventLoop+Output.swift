// Getting bytes to sessions: at once if the socket takes them, else from the session's own queue when it does again.

import CLinux
import Glibc
import HubCore

extension EventLoop {
  /// The sizes above which the buffer for replies gives memory back.
  static let keptRepliesCapacity = 256 << 10

  /// Sends the replies of this step to the session that they are for, unless they have to wait for the journal.
  @inline(__always)
  mutating func flushReplies(to descriptor: Int32) {
    if replies.isEmpty {
      hold = []
      return
    }
    if isDebugging { logReplies(to: descriptor) }
    if !hold.isEmpty || sessions[descriptor].held > 0 {
      return holdReplies(of: descriptor)
    }
    flushNow(to: descriptor)
  }

  @inline(__always)
  mutating func flushNow(to descriptor: Int32) {
    send(replies.view, to: descriptor)
    replies.clear(keeping: EventLoop.keptRepliesCapacity)
  }

  /// Sends whole frames to a session, or puts them behind what waits for it.
  @inline(__always)
  mutating func send(_ bytes: ByteView, to descriptor: Int32) {
    if bytes.isEmpty { return }
    switch sessions[descriptor].state {
    case .open, .finishing: break
    case .ended, .leaving, .free: return
    }
    switch sessions[descriptor].flow {
    case .open:
      let sent = clinux_send(descriptor, bytes.base, bytes.count)
      if sent != bytes.count { keep(bytes, for: descriptor, sent) }
    case .blocked:
      sessions[descriptor].output.append(bytes, budget: &budget)
      noteOutput(of: descriptor)
    case .gone: break
    }
  }

  /// The socket took only a part.
  private mutating func keep(_ bytes: ByteView, for descriptor: Int32, _ result: Int) {
    if result < 0, errno != EAGAIN, errno != EINTR { return lose(descriptor) }
    let sent = max(0, result)
    var border = 0
    while border < sent { border += Frame.headerLength + Int(bytes.load(UInt32.self, at: border)) }
    engine.hold(SessionID(raw: descriptor))
    block(descriptor, rest: bytes.suffix(from: sent), cut: border - sent)
  }

  /// The socket takes no more: the session's bytes queue up until it does.
  ///
  /// - Parameters:
  ///   - rest: what it did not take.
  ///   - cut: how much of `rest` belongs to a frame of which the front was taken.
  mutating func block(_ descriptor: Int32, rest: ByteView, cut: Int) {
    sessions[descriptor].flow = .blocked
    sessions[descriptor].output.append(rest, cut: cut, budget: &budget)
    noteOutput(of: descriptor)
    // If the socket has become writable meanwhile, this makes it an event.
    poller.setWriting(true, for: descriptor)
    sessions[descriptor].isArmed = true
  }

  /// The socket takes bytes again, or tells why it never will.
  mutating func resumeOutput(of descriptor: Int32) {
    switch sessions[descriptor].flow {
    case .blocked: break
    case .open where sessions[descriptor].isArmed:
      // It keeps up again. Until this first needless event the arming stays, for a session that soon falls behind anew.
      sessions[descriptor].isArmed = false
      return poller.setWriting(false, for: descriptor)
    case .open, .gone: return
    }
    guard sessions[descriptor].state == .open || sessions[descriptor].state == .finishing else { return }
    let wasPaused = sessions[descriptor].isPaused
    let waiting = sessions[descriptor].output.view
    if !waiting.isEmpty {
      let sent = clinux_send(descriptor, waiting.base, waiting.count)
      if sent < 0 {
        if errno != EAGAIN, errno != EINTR { lose(descriptor) }
        return
      }
      sessions[descriptor].output.dropFirst(sent, budget: &budget)
      noteOutput(of: descriptor)
    }
    if sessions[descriptor].output.isEmpty {
      sessions[descriptor].flow = .open
      if sessions[descriptor].state == .finishing, sessions[descriptor].held == 0 { return end(descriptor) }
      engine.release(SessionID(raw: descriptor))
    }
    if wasPaused, !sessions[descriptor].isPaused { markReady(descriptor) }
  }

  /// The client has gone, and nothing can be sent to it. What it has asked before is still carried out.
  mutating func lose(_ descriptor: Int32) {
    sessions[descriptor].flow = .gone
    sessions[descriptor].output.clear(budget: &budget)
    noteOutput(of: descriptor)
    engine.hold(SessionID(raw: descriptor))
    if sessions[descriptor].state == .finishing { end(descriptor) }
    markReady(descriptor)
  }

  private mutating func noteOutput(of descriptor: Int32) {
    engine.setUnsent(sessions[descriptor].output.count, of: SessionID(raw: descriptor))
    engine.counters.unsentBytes = UInt64(budget.used)
  }
}
