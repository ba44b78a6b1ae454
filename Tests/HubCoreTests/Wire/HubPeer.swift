// An engine with one connection that takes everything: bytes in, frames out. It does not know what they mean.

import HubCore
import HubEngine

final class HubPeer {
  private var engine: HubEngine
  private var assembler: FrameAssembler
  private let session = SessionID(raw: 0)
  private let now: Instant
  private(set) var isClosed = false

  init(
    options: HubEngine.Options = HubEngine.Options(), epoch: Epoch = Epoch(high: 1, low: 2),
    peer: Peer = Peer(pid: 1, uid: 1000, gid: 1000), now: Instant = Instant(wall: 1, boot: 1),
    declarations: [(StoreName, Schema)] = []
  ) {
    engine = HubEngine(options: options, epoch: epoch, now: now)
    assembler = FrameAssembler(maximumLength: options.maximumFrameLength)
    self.now = now
    _ = try! engine.declare(declarations, now: now)
    engine.open(session, peer: peer, now: now)
  }

  /// One turn of the hub with these bytes.
  ///
  /// - Returns: the frames that the hub sends: replies, then events.
  func send(_ bytes: [UInt8]) -> [[UInt8]] {
    var out = OutputBuffer()
    bytes.withByteView { assembler.append($0) }
    _ = assembler.drain { frame in
      isClosed = engine.receive(frame, from: session, in: engine.openTurn(), now: now, into: &out).contains(
        .close)
      return !isClosed
    }
    let turn = engine.seal(engine.openTurn())
    while let session = engine.nextDue(in: turn) {
      while true {
        let due = engine.due(for: session, in: turn)
        if due.isEmpty { break }
        out.append(due)
        _ = engine.sent(due.count, to: session, in: turn)
      }
    }
    engine.end(turn)
    var frames: [[UInt8]] = []
    var sent = FrameAssembler(maximumLength: .max)
    sent.append(out.view)
    _ = sent.drain {
      frames.append($0.bytes.array)
      return true
    }
    return frames
  }
}
