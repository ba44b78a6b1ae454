// Owns what libFuzzer checks of requests as the hub reads them: no frame crashes it, each is answered once, and all that it
// sends can be decoded. Unlike a client's, its readers look at the bytes where they are.

import HubCore
import HubEngine

/// The input is a stream of frames, as a connection's.
@c(LLVMFuzzerTestOneInput)
public func fuzzCommands(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start else { return 0 }
  // What is stood behind takes a sixth of the time: only for a stream that can name it.
  var hub = Hub(withProviders: canNameProvided(start, count))
  var frames = FrameCursor(ByteView(base: start, count: count))
  while !hub.isClosed, let frame = frames.next() { hub.receive(frame) }
  return 0
}

/// Whether the stream contains "dev". The standard library's search takes as long again.
private func canNameProvided(_ start: UnsafePointer<UInt8>, _ count: Int) -> Bool {
  guard count > 2 else { return false }
  for place in 0..<count - 2
  where start[place] == UInt8(ascii: "d") && start[place + 1] == UInt8(ascii: "e")
    && start[place + 2] == UInt8(ascii: "v")
  {
    return true
  }
  return false
}

/// A hub with the client that sends the stream. It has said hello, so that every frame reaches the engine. Root looks on.
private struct Hub: ~Copyable {
  private var engine: HubEngine
  private let client = SessionID(raw: 0)
  private let monitor = SessionID(raw: 1)
  private let now = Instant(wall: 2, boot: 2)
  private(set) var isClosed = false

  init(withProviders: Bool) {
    // A log that few changes overrun, so that catching up without it is tried as well.
    var options = HubEngine.Options()
    options.changeLogBytes = 1 << 10
    options.historyBytes = 1 << 10
    engine = HubEngine(options: options, epoch: Epoch(high: 1, low: 2), now: now)
    // The client may provide some stores.
    if withProviders {
      engine.declare(
        providers: [
          ProviderDeclaration(
            try! StoreName("dev"), [try! NamePattern("dev.**")], users: [.init(uid: 1, name: "fuzz")])
        ], now: now)
    }
    engine.open(client, peer: Peer(pid: 1, uid: 1, gid: 1), now: now)
    engine.open(monitor, peer: Peer(pid: 2, uid: 0, gid: 0), now: now)
    look(.hello(name: "monitor"))
    look(.monitor())
    var hello = OutputBuffer()
    Request.hello(name: "fuzz").encode(into: &hello, id: 0)
    receive(FrameView(bytes: hello.view))
  }

  private mutating func look(_ request: Request) {
    var frame = OutputBuffer()
    var out = OutputBuffer()
    request.encode(into: &frame, id: 0)
    _ = engine.receive(
      FrameView(bytes: frame.view), from: monitor, in: engine.openTurn(), now: now, into: &out)
    precondition(check(out.view) == 1, "a monitor has one reply")
  }

  /// One turn: a frame, its reply, and the events that are due.
  mutating func receive(_ frame: FrameView) {
    var out = OutputBuffer()
    let turn = engine.openTurn()
    isClosed = engine.receive(frame, from: client, in: turn, now: now, into: &out).contains(.close)
    let replies = check(out.view)
    engine.deal(now: now)
    var later = 0
    while let message = engine.nextMessage() { later += check(message.bytes) }
    // Nobody else decides about anything here, so that what waits for a provider waits for good.
    precondition(replies + later <= 1, "a request has one reply")
    precondition(replies == 1 || mayWait(frame), "a request is answered at once")
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
    look(.monitor())
  }

  private func mayWait(_ frame: FrameView) -> Bool {
    switch frame.kind {
    case .write, .request(.transaction), .request(.provide): true
    default: false
    }
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
