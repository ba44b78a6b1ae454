// What an image consists of: frames as on the wire, each with one part of a hub's state. Nothing here knows what the parts
// mean.

package import HubCore

/// The kinds of frames that hold the engine's state. The numbers below 0x20 are the engine's, the others its owner's.
enum ImageKind: UInt8 {
  case hub = 0x01
  case freeSlots = 0x02
  /// Frames of stores, as snapshots have them.
  case stores = 0x03
  /// What a snapshot does not have, for each of these stores in their order.
  case places = 0x04
  case removal = 0x05
  case changes = 0x06
  case session = 0x07
  case watch = 0x08
  case owned = 0x09
  case journal = 0x0A
  case members = 0x0B
  case claim = 0x0C
  case ticket = 0x0D
  case queuedOffer = 0x0E
  case filter = 0x0F
}

package enum ImageFormat {
  /// The only version that is written and read. It is raised by every change of the format.
  package static let version: UInt16 = 6
  /// Kinds from here on are not the engine's.
  package static let firstForeignKind: UInt8 = 0x20
}

/// Why an image cannot be used. No part of it was applied.
package struct ImageError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Assembles an image, frame by frame, and passes it on in pieces: an image is as large as the hub's memory, and must never
/// exist twice.
package struct ImageWriter: ~Copyable {
  private var out = OutputBuffer(capacity: 256 << 10)
  private let sink: (ByteView) -> Void
  private static let pieceBytes = 192 << 10

  /// - Parameter sink: takes the next bytes of the image.
  package init(sink: @escaping (ByteView) -> Void) { self.sink = sink }

  /// Appends one frame; `body` writes its payload.
  package mutating func frame(_ kind: UInt8, _ body: (inout OutputBuffer) -> Void) {
    let start = out.beginFrame(kind)
    body(&out)
    out.endFrame(start)
    if out.count >= ImageWriter.pieceBytes { flush() }
  }

  /// Passes on the remaining bytes.
  package mutating func flush() {
    if !out.isEmpty { sink(out.view) }
    out.clear(keeping: 256 << 10)
  }
}

/// Reads the frames of an image.
package struct ImageReader {
  private var frames: FrameCursor

  package init(_ bytes: ByteView) { frames = FrameCursor(bytes) }

  /// The next frame; nil at the end.
  package mutating func next() throws(ImageError) -> FrameView? {
    if let frame = frames.next() { return frame }
    if frames.isAtEnd { return nil }
    throw ImageError("a frame of the image is truncated")
  }
}
