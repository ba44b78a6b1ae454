// Walks through consecutive whole frames: a transaction's operations, a record, an image.

/// The frames in bytes that have all arrived; `FrameReader` is for a stream that is still arriving.
@usableFromInline package struct FrameCursor {
  /// What follows the frames so far.
  @usableFromInline package var rest: ByteView

  @inlinable @inline(__always)
  package init(_ bytes: ByteView) { rest = bytes }

  /// The next frame; nil at the end, and where no whole frame follows.
  @inlinable @inline(__always)
  package mutating func next() -> FrameView? {
    guard rest.count >= Frame.headerLength else { return nil }
    let length = Frame.length(rest)
    guard length <= rest.count else { return nil }
    defer { rest = rest.suffix(from: length) }
    return FrameView(bytes: rest.slice(0, length))
  }

  /// Whether every byte belonged to a frame.
  @inlinable package var isAtEnd: Bool { rest.isEmpty }

  /// The first border between two frames at or after `offset`.
  ///
  /// - Parameter start: a border, followed by whole frames up to `offset` and beyond.
  package static func border(atOrBehind offset: Int, in bytes: ByteView, from start: Int = 0) -> Int {
    frame(upTo: offset, in: bytes, from: start).upperBound
  }

  /// Where the frame is that `offset` is in, or ends; empty at the start.
  package static func frame(upTo offset: Int, in bytes: ByteView, from start: Int = 0) -> Range<Int> {
    var frame = start..<start
    while frame.upperBound < offset {
      frame = frame.upperBound..<frame.upperBound + Frame.length(bytes.suffix(from: frame.upperBound))
    }
    return frame
  }
}
