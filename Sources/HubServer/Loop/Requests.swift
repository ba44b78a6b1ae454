// Requests: executed in the buffer they were read into. A session keeps bytes only while a frame is not whole, or while
// its requests wait.

import HubCore
import HubEngine
import HubSystem

extension Exchange {
  /// Handles an event of a connection.
  @inline(__always)
  mutating func take(_ event: PollerEvent) {
    let descriptor = event.descriptor
    guard connections.contains(descriptor) else { return }
    if event.endsReads { connections.noteReadsEnd(descriptor) }
    if event.isWritable { connections.noteWritable(descriptor, &engine) }
    if event.isReadable { connections.noteReadable(descriptor) }
  }

  /// The work after which a session's step ends, in the engine's units: about nanoseconds.
  static let stepWork = 100_000

  /// Takes one step for each ready session, until the turn's budget is spent.
  mutating func serveReady(in turn: borrowing Turn) {
    connections.beginServing()
    while !isTurnFull, let descriptor = connections.nextReady() { serve(descriptor, in: turn) }
    connections.endServing()
  }

  mutating func serve(_ descriptor: Int32, in turn: borrowing Turn) {
    if connections[descriptor].readySince != now.boot { return serveLate(descriptor, in: turn) }
    step(descriptor, in: turn)
  }

  /// The session was ready in an earlier turn: its requests have waited since.
  @inline(never)
  private mutating func serveLate(_ descriptor: Int32, in turn: borrowing Turn) {
    let (since, begin) = (connections[descriptor].readySince, SystemClock.boot)
    engine.monitoring.noteRequests(begin &- now.boot, at: begin)
    step(descriptor, in: turn)
    let end = SystemClock.boot
    engine.monitoring.noteRequests(end &- since, at: end)
  }

  private mutating func step(_ descriptor: Int32, in turn: borrowing Turn) {
    if !connections.beginStep(descriptor) {
      guard connections.sendWaiting(to: descriptor, &engine), connections.beginStep(descriptor) else {
        return
      }
    }
    let before = engine.work
    if connections[descriptor].input.isEmpty {
      readAndCarryOut(descriptor, in: turn)
    } else if !carryOutInput(of: descriptor, in: turn) {
      completeInput(of: descriptor, in: turn)
    }
    connections.charge(engine.work &- before, to: descriptor)
    connections.endIfFinished(descriptor)
    if connections.budget.isExceeded(with: 0) { relieveMemory() }
  }

  /// The common case: nothing is kept for the session, and nothing will be.
  @inline(__always)
  private mutating func readAndCarryOut(_ descriptor: Int32, in turn: borrowing Turn) {
    guard let bytes = connections.read(descriptor) else { return }
    let done = carryOut(bytes, of: descriptor, in: turn)
    if done < bytes.count {
      connections.keepInput(bytes.suffix(from: done), of: descriptor)
      engine.noteCopied(bytes.count - done)
    }
    flushReplies(to: descriptor)
  }

  /// Executes the whole frames in the session's own bytes.
  ///
  /// - Returns: false if there are none.
  private mutating func carryOutInput(of descriptor: Int32, in turn: borrowing Turn) -> Bool {
    let isGone = connections[descriptor].life.flow == .gone
    let done = carryOut(connections[descriptor].input.view, of: descriptor, in: turn, isGone: isGone)
    connections.dropInput(done, of: descriptor)
    flushReplies(to: descriptor)
    if done > 0 { connections.addReady(descriptor) }
    return done > 0 || !connections[descriptor].life.isOpen
  }

  /// Reads what the first frame in the session's own bytes lacks, and nothing after it.
  private mutating func completeInput(of descriptor: Int32, in turn: borrowing Turn) {
    let input = connections[descriptor].input.view
    guard case .incomplete(let needed) = reader.scan(input) else { return }
    if let count = connections.readMore(descriptor, needed: needed - input.count) {
      engine.noteCopied(count)
      _ = carryOutInput(of: descriptor, in: turn)
    }
  }

  /// Executes the complete frames at the front of `bytes`, until the budget of the session or the turn is spent.
  ///
  /// - Parameter isGone: the client no longer reads answers.
  /// - Returns: how many bytes were consumed.
  private mutating func carryOut(
    _ bytes: ByteView, of descriptor: Int32, in turn: borrowing Turn, isGone: Bool = false
  ) -> Int {
    if connections[descriptor].isExtra, !mayCarryOut(bytes, of: descriptor) { return 0 }
    let session = SessionID(raw: descriptor)
    let enough = engine.work &+ Exchange.stepWork
    var isGone = isGone
    var offset = 0
    while true {
      switch reader.scan(bytes.suffix(from: offset)) {
      case .frame(let frame):
        if isGone, Exchange.onlyAnswers(frame) {
          offset += frame.bytes.count
          continue
        }
        if frame.rawKind &- firstFiguresKind <= 1 { noteFigures(for: frame, of: session) }
        let receipt = engine.receive(frame, from: session, in: turn, now: now, into: &replies)
        if receipt.contains(.askAgain) {
          putOff(bytes.suffix(from: offset), of: descriptor)
          return offset
        }
        offset += frame.bytes.count
        if !receipt.isEmpty, !follow(receipt, frame, descriptor) { return offset }
        if replies.count > Session.pauseLimit {
          flushReplies(to: descriptor)
          if connections.haltIfPaused(descriptor) { return offset }
          isGone = connections[descriptor].life.flow == .gone
        }
        if engine.work > enough {
          putOff(bytes.suffix(from: offset), of: descriptor)
          return offset
        }
      case .incomplete: return offset
      case .tooLong(let length):
        let error = HubError(
          .frameTooLarge,
          "a frame of \(length) bytes is longer than maxFrameBytes in the hub's configuration allows, "
            + "\(reader.maximumLength) bytes")
        giveUp(descriptor, error, front: bytes.suffix(from: offset))
        return offset
      }
    }
  }

  /// Whether the answer is all that comes of a request: for a client that is gone, nothing. A list may be partly done.
  @inline(never)
  private static func onlyAnswers(_ frame: FrameView) -> Bool {
    frame.kind?.effect == RequestEffect.none && frame.kind != .request(.reload)
  }

  /// The session's further requests wait for the next turn.
  private mutating func putOff(_ rest: ByteView, of descriptor: Int32) {
    connections.addReady(descriptor)
    // Watches that a client requests together begin together: an event in between would move its bookmark beyond that of the later watches. And a
    // watch ends as a whole.
    guard case .frame(let next) = reader.scan(rest),
      next.rawKind == RequestKind.watch.rawValue || next.rawKind == RequestKind.unwatch.rawValue
    else { return }
    engine.pauseDelivery(to: SessionID(raw: descriptor))
    if connections.takesEvents(descriptor) { connections.yield(descriptor, hadEnough: false) }
  }

  /// Does what a request demands besides its reply.
  ///
  /// - Returns: false if no more requests of the session should be executed in this turn.
  private mutating func follow(_ receipt: Receipt, _ frame: FrameView, _ descriptor: Int32) -> Bool {
    gate.note(receipt)
    if receipt.contains(.close) {
      connections.dismiss(descriptor)
      return false
    }
    if receipt.contains(.reload) {
      let caller = ServerImage.Caller(connection: descriptor, request: frame.request)
      if let error = reloading.ask(caller) {
        Reply.error(error).encode(into: &replies, request: frame.request)
      }
    }
    if receipt.contains(.turnIsFull) {
      isTurnFull = true
      connections.addReady(descriptor)
      return false
    }
    return true
  }

  /// The rest of the session's bytes cannot be read. It gets an error, after the replies to earlier requests.
  private mutating func giveUp(_ descriptor: Int32, _ error: HubError, front: ByteView) {
    Reply.error(error).encode(into: &replies, request: Frame.request(ofFront: front))
    HubEvent.ended(.protocolError, message: error.message).encode(into: &replies)
    connections.dismiss(descriptor)
    let peer = engine.peer(of: SessionID(raw: descriptor))
    log.write(
      .warning, .brokenFrames, at: now.boot,
      "disconnected a client, \(Exchange.name(of: peer)): \(error.message)")
  }
}
