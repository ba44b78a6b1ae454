// Owns what libFuzzer checks of the wire format: no bytes crash a decoder, and what was decoded is stable.

import HubCore

/// The first byte says how the stream is cut into pieces, the rest is the stream.
@c(LLVMFuzzerTestOneInput)
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let stream = ByteView(base: start + 1, count: count - 1)
  checkPieces(of: stream, length: 1 + Int(start[0]))
  // Where they are, so that a read beyond the last one is found.
  var frames = FrameCursor(stream)
  while let frame = frames.next() { checkDecoders(frame) }
  return 0
}

/// However a stream is cut, it has the same frames.
private func checkPieces(of stream: ByteView, length: Int) {
  var assembler = FrameAssembler(maximumLength: 1 << 16)
  var expected = FrameCursor(stream)
  var offset = 0
  while offset < stream.count {
    let piece = stream.slice(offset, min(stream.count - offset, length))
    assembler.append(piece)
    offset += piece.count
    let broken = assembler.drain { frame in
      precondition(expected.next()?.bytes.equals(frame.bytes) ?? false, "a stream has its frames, in order")
      return true
    }
    if let broken { return precondition(broken.code == .frameTooLarge) }
  }
  precondition(expected.next() == nil && assembler.pending == expected.rest.count, "no frame is left over")
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
