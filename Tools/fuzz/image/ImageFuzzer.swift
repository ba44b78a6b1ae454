// Owns what libFuzzer checks of images: no frames crash the reader, and what it accepts is a hub that can be used.

import HubCore
import HubEngine

/// The frames of an image, without the header, whose checksum would let nothing through.
@c(LLVMFuzzerTestOneInput)
public func fuzzImage(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start else { return 0 }
  let options = HubEngine.Options()
  do throws(ImageError) {
    var engine = try engine(from: ByteView(base: start, count: count), options)
    // What was accepted is written and read again as the same.
    let first = image(of: engine)
    let again = try first.withByteView { bytes in
      Result { () throws(ImageError) in image(of: try Fuzz.engine(from: bytes, options)) }
    }.get()
    precondition(first == again, "an image must be kept whole")
    use(&engine)
  } catch {
    return 0
  }
  return 0
}

private func engine(from frames: ByteView, _ options: HubEngine.Options) throws(ImageError) -> HubEngine {
  var restoration = EngineBuilder(options: options, renumber: lowered)
  var reader = ImageReader(frames)
  while let frame = try reader.next() {
    if frame.rawKind < ImageFormat.firstForeignKind { try restoration.take(frame) }
  }
  return try restoration.finish()
}

/// A number that a session may have is a low one here: to fill a large table of sessions took half of the time.
private func lowered(_ session: Int32) -> Int32 { 0..<(1 << 20) ~= session ? session & 0xFF : session }

private func image(of engine: borrowing HubEngine) -> [UInt8] {
  final class Collected { var bytes: [UInt8] = [] }
  let collected = Collected()
  var writer = ImageWriter { collected.bytes += $0.array }
  engine.write(to: &writer)
  writer.flush()
  return collected.bytes
}

/// Writes, removes, reads, lets time pass, and takes everything that is due.
private func use(_ engine: inout HubEngine) {
  let now = Instant(wall: 1, boot: 1 << 40)
  let client = SessionID(raw: 21)
  let name = try! StoreName("level")
  engine.close(client, in: engine.openTurn(), now: now)
  engine.open(client, peer: Peer(pid: 1, uid: 1, gid: 1), now: now)
  let requests: [Request] = [
    .hello(name: "fuzz"), .write(.set(.name(name), .integer(1), force: true)),
    .watch([.everything], policy: .every), .list(.everything), .clients(), .stats, .describe(.name(name)),
    .write(.remove(.name(name))),
  ]
  for request in requests {
    var frame = OutputBuffer()
    var replies = OutputBuffer()
    request.encode(into: &frame, id: 1)
    let turn = engine.openTurn()
    _ = engine.receive(FrameView(bytes: frame.view), from: client, in: turn, now: now, into: &replies)
    engine.expire(in: turn, now: now)
    engine.journalWritten()
    let sealed = engine.seal(turn)
    while let session = engine.nextDue(in: sealed) {
      for round in 0... {
        let due = engine.due(for: session, in: sealed)
        if due.isEmpty { break }
        precondition(round < 10_000, "there is no end of what is due")
        _ = engine.sent(due.count, to: session, in: sealed)
      }
    }
    engine.end(sealed)
  }
}
