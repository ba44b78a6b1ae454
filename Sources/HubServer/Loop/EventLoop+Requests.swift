// Reading what sessions ask, and having it carried out. Whole frames are carried out where they were read; a session keeps
// bytes only while a frame is not whole, or while its requests wait.

import CLinux
import Glibc
import HubCore

extension EventLoop {
  /// There may be something to do for the session.
  @inline(__always)
  mutating func markReady(_ descriptor: Int32) {
    guard sessions[descriptor].state == .open, !sessions[descriptor].isReady else { return }
    sessions[descriptor].isReady = true
    ready.append(descriptor)
  }

  /// One step for each session that is ready.
  mutating func serveReady() {
    swap(&ready, &serving)
    var index = 0
    while index < serving.count {
      serve(serving[index])
      index += 1
      if isTurnFull { break }
    }
    // Those that this turn has no room for keep their place in front.
    if index < serving.count {
      serving.removeFirst(index)
      serving.append(contentsOf: ready)
      swap(&ready, &serving)
    }
    // There are few; `removeAll(keepingCapacity:)` takes longer than serving one.
    while serving.popLast() != nil {}
  }

  mutating func serve(_ descriptor: Int32) {
    guard sessions[descriptor].isReady else { return }
    sessions[descriptor].isReady = false
    guard sessions[descriptor].state == .open else {
      if sessions[descriptor].state == .leaving { discardInput(of: descriptor) }
      return
    }
    if sessions[descriptor].isPaused {
      if sessions[descriptor].held > 0 { sessions[descriptor].isHalted = true }
      return
    }
    if sessions[descriptor].input.isEmpty {
      readToInbox(descriptor)
    } else if !carryOutInput(of: descriptor) {
      readToInput(descriptor)
    }
    endIfFinished(descriptor)
    if budget.isExceeded { relieveMemory() }
  }

  /// The usual case: nothing is kept for the session, and nothing will be.
  @inline(__always)
  private mutating func readToInbox(_ descriptor: Int32) {
    var isCut = false
    let count = inbox.receive(from: descriptor, isCut: &isCut)
    guard count > 0 else { return noteEnd(of: descriptor, count) }
    // A shorter read has emptied the socket, and more bytes are another event; unless it ended at a descriptor that was
    // sent, or at something else that can have been announced together with these bytes.
    if count == Inbox.capacity || isCut || sessions[descriptor].readsOn { markReady(descriptor) }
    let bytes = inbox.view(count)
    let done = carryOut(bytes, of: descriptor)
    if done < count, sessions[descriptor].state == .open {
      sessions[descriptor].input.append(bytes.suffix(from: done), budget: &budget)
    }
    flushReplies(to: descriptor)
  }

  /// Carries out what the session's own bytes hold of whole frames.
  ///
  /// - Returns: false if they hold none.
  private mutating func carryOutInput(of descriptor: Int32) -> Bool {
    let done = carryOut(sessions[descriptor].input.view, of: descriptor)
    sessions[descriptor].input.dropFirst(done, budget: &budget)
    flushReplies(to: descriptor)
    if done > 0 { markReady(descriptor) }
    return done > 0 || sessions[descriptor].state != .open
  }

  /// Reads what the frame at the front of the session's own bytes lacks, and nothing behind it.
  private mutating func readToInput(_ descriptor: Int32) {
    guard case .incomplete(let needed) = reader.scan(sessions[descriptor].input.view) else { return }
    let have = sessions[descriptor].input.count
    // The memory follows what has come, not what a header announces.
    let room = min(needed - have, max(have, Inbox.capacity))
    var isCut = false
    let count = sessions[descriptor].input.fill(room: room, budget: &budget) {
      clinux_receive(descriptor, $0, room, &isCut)
    }
    guard count > 0 else { return noteEnd(of: descriptor, count) }
    if count == room || isCut || sessions[descriptor].readsOn { markReady(descriptor) }
    _ = carryOutInput(of: descriptor)
  }

  /// Nothing could be read.
  private mutating func noteEnd(of descriptor: Int32, _ result: Int) {
    if result == 0 {
      sessions[descriptor].state = .finishing
    } else if errno == EINTR {
      markReady(descriptor)
    } else if errno != EAGAIN {
      end(descriptor)
    }
  }

  /// Carries out the whole frames at the front of `bytes`, until the session or the turn has had enough.
  ///
  /// - Returns: how many bytes were done with.
  private mutating func carryOut(_ bytes: ByteView, of descriptor: Int32) -> Int {
    if sessions[descriptor].isExtra, !mayCarryOut(bytes, of: descriptor) { return 0 }
    let session = SessionID(raw: descriptor)
    var offset = 0
    while true {
      switch reader.scan(bytes.suffix(from: offset)) {
      case .frame(let frame):
        if frame.rawKind == RequestKind.stats.rawValue { noteFigures() }
        let before = replies.count
        let receipt = engine.receive(frame, from: session, now: now, into: &replies)
        if receipt.contains(.askAgain) {
          markReady(descriptor)
          return offset
        }
        offset += frame.bytes.count
        if !receipt.isEmpty, !follow(receipt, frame, descriptor, before) { return offset }
        if replies.count > Session.pauseLimit {
          flushReplies(to: descriptor)
          if sessions[descriptor].isPaused {
            if sessions[descriptor].held > 0 { sessions[descriptor].isHalted = true }
            return offset
          }
        }
      case .incomplete: return offset
      case .tooLong(let length):
        let error = HubError(
          .frameTooLarge,
          "a frame of \(length) bytes is longer than maxFrameBytes of the hub's configuration allows, "
            + "\(reader.maximumLength) bytes")
        giveUp(descriptor, error, front: bytes.suffix(from: offset))
        return offset
      }
    }
  }

  /// Does what a request demands besides its reply.
  ///
  /// - Returns: false if nothing more of the session is to be carried out in this turn.
  private mutating func follow(
    _ receipt: Receipt, _ frame: FrameView, _ descriptor: Int32, _ before: Int
  ) -> Bool {
    hold.formUnion(receipt.intersection([.awaitsJournal, .awaitsDisk]))
    if receipt.contains(.close) {
      finish(descriptor)
      return false
    }
    if receipt.contains(.reload) { noteCaller(descriptor, request: frame.request) }
    if receipt.contains(.awaitsJournal) { turnReplies.note(frame, from: descriptor, before: before) }
    if receipt.contains(.turnIsFull) {
      isTurnFull = true
      markReady(descriptor)
      return false
    }
    return true
  }

  /// Somebody asks for the figures, which the engine shows as it was told them last.
  @inline(never)
  mutating func noteFigures() {
    if let journal { engine.counters.journal = journal.figures }
  }

  /// The session's bytes cannot be followed any further. It is told, after the replies to what came before.
  private mutating func giveUp(_ descriptor: Int32, _ error: HubError, front: ByteView) {
    let request = front.count >= Frame.headerLength ? front.load(UInt32.self, at: 8) : 0
    Reply.error(error).encode(into: &replies, request: request)
    HubEvent.ended(.protocolError, message: error.message).encode(into: &replies)
    finish(descriptor)
    let peer = engine.peer(of: SessionID(raw: descriptor))
    log.write(
      .warning, .brokenFrames, at: now.boot,
      "ended a client, process \(peer.pid) of user \(peer.uid): \(error.message)")
  }
}
