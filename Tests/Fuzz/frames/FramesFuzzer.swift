// Owns what libFuzzer checks of the wire format: no bytes crash a decoder or the hub, and what was decoded is stable.

/// The first byte says how the stream is cut into pieces, the rest is the stream.
@c(LLVMFuzzerTestOneInput)
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let stream = ByteView(base: start + 1, count: count - 1)
  var assembler = FrameAssembler(maximumLength: 1 << 16)
  var hub = Hub()
  var offset = 0
  while offset < stream.count, !hub.isClosed {
    let length = min(stream.count - offset, 1 + Int(start[0]) * 4)
    assembler.append(stream.slice(offset, length))
    offset += length
    let broken = assembler.drain { frame in
      checkDecoders(frame)
      hub.receive(frame)
      return !hub.isClosed
    }
    if let broken {
      precondition(broken.code == .frameTooLarge)
      break
    }
  }
  return 0
}

/// Whatever a decoder makes of the bytes, it makes the same of its own encoding of it.
private func checkDecoders(_ frame: FrameView) {
  check(frame, Request.init(decoding:)) { $0.encode(into: &$1, id: frame.request) }
  check(frame, Reply.init(decoding:)) { $0.encode(into: &$1, request: frame.request) }
  check(frame, HubEvent.init(decoding:)) { $0.encode(into: &$1) }
}

private func check<Message: Equatable>(
  _ frame: FrameView, _ decode: (FrameView) throws(HubError) -> Message,
  _ encode: (Message, inout OutputBuffer) -> Void
) {
  var first = OutputBuffer()
  var second = OutputBuffer()
  do throws(HubError) {
    encode(try decode(frame), &first)
    // Text that was too long for its field has been cut by now.
    let message = try decode(FrameView(bytes: first.view))
    encode(message, &second)
    precondition(first.view.equals(second.view), "an encoding must be decoded as itself")
    let again = try decode(FrameView(bytes: second.view))
    precondition(message == again, "the same bytes must be decoded as the same")
  } catch {
    precondition(first.isEmpty, "what was encoded must be decodable: \(error)")
  }
}

/// A hub with the client that sends the stream. It has said hello, so that every frame reaches the engine.
private struct Hub: ~Copyable {
  private var engine: HubEngine
  private let client = SessionID(raw: 0)
  private let now = Instant(wall: 2, boot: 2)
  private(set) var isClosed = false

  init() {
    // A log that few changes overrun, so that catching up without it is tried as well.
    var options = HubEngine.Options()
    options.changeLogBytes = 1 << 10
    engine = HubEngine(options: options, epoch: Epoch(high: 1, low: 2), now: now)
    engine.open(client, peer: Peer(pid: 1, uid: 1, gid: 1), now: now)
    var hello = OutputBuffer()
    Request.hello(name: "fuzz").encode(into: &hello, id: 0)
    receive(FrameView(bytes: hello.view))
  }

  /// One turn: a frame, its reply, and the events that are due.
  mutating func receive(_ frame: FrameView) {
    var out = OutputBuffer()
    let turn = engine.openTurn()
    isClosed = engine.receive(frame, from: client, in: turn, now: now, into: &out).contains(.close)
    precondition(check(out.view) == 1, "a request has one reply")
    let sealed = engine.seal(turn)
    while let session = engine.nextDue(in: sealed) {
      while true {
        let due = engine.due(for: session, in: sealed)
        if due.isEmpty { break }
        precondition(check(due) == 0, "events are no replies")
        _ = engine.sent(due.count, to: session, in: sealed)
      }
    }
    engine.end(sealed)
  }

  /// - Returns: how many replies are among the frames that the hub sends. All of them can be decoded.
  private func check(_ bytes: ByteView) -> Int {
    var cursor = FrameCursor(bytes)
    var replies = 0
    while let frame = cursor.next() {
      if frame.kind?.isReply == true {
        replies += 1
        precondition((try? Reply(decoding: frame)) != nil, "the hub's replies can be decoded")
      } else {
        precondition((try? HubEvent(decoding: frame)) != nil, "the hub's events can be decoded")
      }
    }
    precondition(cursor.isAtEnd, "the hub sends whole frames")
    return replies
  }
}
